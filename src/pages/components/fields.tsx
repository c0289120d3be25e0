/** @jsxImportSource preact */
import { langWithin } from '../../field-types/display/language.ts';
import type { View } from '../view.ts';
import type { ShownField } from './field-values.ts';

/** Fields that say in sentences what something is: they are read before the details. */
const DESCRIPTIONS: ReadonlySet<string> = new Set(['description', 'field_abstract', 'field_description', 'body']);

interface Props {
  readonly fields: readonly ShownField[];
  readonly view: View;
}

/** What describes content in sentences. */
export function Descriptions({ fields, view }: Props) {
  return fields
    .filter(({ name }) => DESCRIPTIONS.has(name))
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
  const details = fields.filter(({ name }) => !DESCRIPTIONS.has(name));
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
