import type { ComponentChild } from 'preact';
import { madeOnce } from '../base/made-once.ts';
import { Fragment } from '../base/markup/jsx-runtime.ts';
import { langWithin } from '../field-types/display/language.ts';
import type { Bundle, FieldDefinition } from '../model/content-model.ts';
import { inDisplayOrder, OTHER_FIELDS, readerLabel } from '../model/field-groups.ts';
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

/** All other fields, each value under the label of its field, in the groups of the model. `hasPanels`: without those of panels. */
export function Details({ fields, view, hasPanels = false }: Props & { readonly hasPanels?: boolean }) {
  const groups = detailGroups(fields, view).filter(({ isPanel }) => !(isPanel && hasPanels));
  if (groups.length === 0) return null;
  return (
    <section aria-labelledby="page-details">
      <h2 id="page-details" {...langWithin('en', view.language)}>
        Details
      </h2>
      {groups.map(({ name, label, fields: ofGroup }) => (
        <Fragment key={name}>
          {label && (
            <h3 class="field-group" {...labelLang(view)}>
              {label}
            </h3>
          )}
          <Rows fields={ofGroup} view={view} within={label} />
        </Fragment>
      ))}
    </section>
  );
}

/** The panels of fields beside the details. */
export function FieldPanels({ fields, view }: Props) {
  return detailGroups(fields, view)
    .filter(({ isPanel }) => isPanel)
    .map(({ name, label, fields: ofGroup }) => (
      <section key={name} class="panel field-panel" aria-labelledby={`page-${name}`}>
        <h2 id={`page-${name}`} {...labelLang(view)}>
          {label}
        </h2>
        <Rows fields={ofGroup} view={view} within={label} />
      </section>
    ));
}

/** Fields with their labels. A label that repeats the heading `within` is for screen readers only. */
function Rows({ fields, view, within }: Props & { within?: string | undefined }) {
  return (
    <dl class="fields">
      {fields.map(({ name, label, values }) => (
        <div key={name}>
          <dt class={label === within ? 'unseen' : undefined} {...labelLang(view)}>
            {label}
          </dt>
          {values.map((value, at) => (
            <dd key={at} dir="auto">
              {value}
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}

interface DetailGroup {
  readonly name: string;
  /** Empty for the only group. */
  readonly label: string;
  readonly isPanel: boolean;
  readonly fields: readonly FieldContent[];
}

/** Returns the groups of the fields that are no descriptions. */
function detailGroups(fields: readonly FieldContent[], { content }: View): DetailGroup[] {
  const details = fields.filter(({ shownAs }) => shownAs !== 'description');
  const { groups } = content.bundle.display;
  const groupOf = groupsByField(content.bundle.display);
  const fieldsOf = Map.groupBy(details, ({ name }) => groupOf.get(name));
  const last = groups.length === 0 ? { name: 'all', label: '' } : OTHER_FIELDS;
  return [
    ...groups.map((group) => ({ ...group, fields: fieldsOf.get(group.name) ?? [] })),
    { ...last, isPanel: false, fields: fieldsOf.get(undefined) ?? [] },
  ].filter((group) => group.fields.length > 0);
}

/** The names of the groups of fields, by the name of the field. */
const groupsByField = madeOnce(
  ({ groups }: Bundle['display']) =>
    new Map(groups.flatMap(({ name, fields }) => fields.map((field) => [field, name] as const))),
);

/** Labels are in the language of the content model. */
function labelLang({ source, language }: View) {
  return langWithin(source.model.defaultLanguage, language);
}

/** A field with values that a page shows. */
interface FieldContent extends Pick<FieldDefinition, 'name' | 'label' | 'shownAs'> {
  readonly values: readonly ComponentChild[];
}

/** Returns the fields that have a value to show to the caller, with their labels for readers and in the order of pages. */
export function shownFields(view: View): FieldContent[] {
  const { bundle } = view.content;
  const shown = Object.entries(view.members).flatMap(([name, items]): FieldContent[] => {
    const definition = definitionOf(name, view);
    if (definition === undefined) return [];
    const type = view.source.fieldTypes.of(definition);
    const values = items
      .map((item) => type.show(item, definition, view))
      .filter((value) => value !== undefined && value !== '');
    const label = readerLabel(bundle, definition);
    return values.length > 0 ? [{ name, label, shownAs: definition.shownAs, values }] : [];
  });
  return inDisplayOrder(bundle.display, shown);
}

/** Returns configured fields, and of terms those that describe them. Other base fields are internal. */
function definitionOf(name: string, { content: { kind, bundle } }: View): FieldDefinition | undefined {
  const configured = bundle.fieldNamed.get(name);
  if (configured !== undefined || kind.type !== 'taxonomy_term') return configured;
  const base = kind.baseFieldNamed.get(name)?.definition;
  if (name === 'description') return base && { ...base, shownAs: 'description' };
  return name === 'parent' && base ? { ...base, label: 'Broader term' } : undefined;
}
