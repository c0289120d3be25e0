import type { ComponentChild } from 'preact';
import { langWithin } from '../field-types/display/language.ts';
import type { FieldDefinition } from '../model/content-model.ts';
import type { View } from './view.ts';

interface Props {
  readonly fields: readonly FieldContent[];
  readonly view: View;
}

/** The descriptions of content. */
export function Descriptions({ fields, view }: Props) {
  return fields
    .filter(({ shownAs }) => shownAs === 'description')
    .map(({ name, label, values }) => (
      <section key={name} class="description">
        <h2 {...labelLang(view)}>{label}</h2>
        {values.map((value, at) => (
          <div key={at} dir="auto">
            {value}
          </div>
        ))}
      </section>
    ));
}

/** All other fields, each value under the label of its field. */
export function Details({ fields, view }: Props) {
  const details = fields.filter(({ shownAs }) => shownAs !== 'description');
  if (details.length === 0) return null;
  return (
    <section aria-labelledby="page-details">
      <h2 id="page-details" {...langWithin('en', view.language)}>
        Details
      </h2>
      <dl class="fields">
        {details.map(({ name, label, values }) => (
          <div key={name}>
            <dt {...labelLang(view)}>{label}</dt>
            {values.map((value, at) => (
              <dd key={at} dir="auto">
                {value}
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Labels are in the language of the content model. */
function labelLang({ source, language }: View) {
  return langWithin(source.model.defaultLanguage, language);
}

/** A field with values that a page shows. */
interface FieldContent extends Pick<FieldDefinition, 'name' | 'label' | 'shownAs'> {
  readonly values: readonly ComponentChild[];
}

/** Returns the fields that have a value to show to the caller, in the order of the document. */
export function shownFields(view: View): FieldContent[] {
  return Object.entries(view.members).flatMap(([name, items]): FieldContent[] => {
    const definition = definitionOf(name, view);
    if (definition === undefined) return [];
    const type = view.source.fieldTypes.of(definition);
    const values = items
      .map((item) => type.show(item, definition, view))
      .filter((value) => value !== undefined && value !== '');
    return values.length > 0 ? [{ name, label: definition.label, shownAs: definition.shownAs, values }] : [];
  });
}

/** Returns configured fields, and of terms those that describe them. Other base fields are internal. */
function definitionOf(name: string, { content: { kind, bundle } }: View): FieldDefinition | undefined {
  const configured = bundle.fieldNamed.get(name);
  if (configured !== undefined || kind.type !== 'taxonomy_term') return configured;
  const base = kind.baseFieldNamed.get(name)?.definition;
  if (name === 'description') return base && { ...base, shownAs: 'description' };
  return name === 'parent' && base ? { ...base, label: 'Broader term' } : undefined;
}
