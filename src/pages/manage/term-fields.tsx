import { pathOf } from '../../paths.ts';
import { errorOf } from '../forms/error-summary.tsx';
import { Select, TextInput } from '../forms/field.tsx';
import type { BulkConfirmData } from './bulk-data.ts';
import type { Choice } from './content-list-data.ts';

interface Props {
  readonly data: BulkConfirmData;
  readonly root: string;
}

/** The fields of the term that is added to many items. A script completes its name for the chosen field. */
export function TermFields({ data: { kind, fields, near, typed, problems }, root }: Props) {
  const completions = root + pathOf('bulkTerms', { entity_type: kind, field_name: '' });
  return (
    <>
      <Select
        {...{ name: 'field', label: 'Field', required: true, error: errorOf(problems, 'field') }}
        value={typed.field}
        options={fields}
        none="Choose a field"
      />
      <TextInput
        {...{ name: 'term', label: 'Term', required: true, error: errorOf(problems, 'term') }}
        value={typed.term}
        autocomplete="off"
        help="The name of an existing term. If several have the same name, add its number: Basel (12)."
        data={{ 'data-completions-of': 'field', 'data-completions-base': completions }}
      />
      {near.length > 0 && (
        <fieldset>
          <legend>Terms that you may mean</legend>
          <Near value="" label="The name above" isChosen />
          {near.map(({ value, label }) => (
            <Near key={value} value={value} label={label} />
          ))}
        </fieldset>
      )}
    </>
  );
}

function Near({ value, label, isChosen = false }: Choice & { readonly isChosen?: boolean }) {
  const id = `near-${value === '' ? 'typed' : value.replaceAll(/\D+/g, '-')}`;
  return (
    <div class="field check">
      <input type="radio" id={id} name="near" value={value} checked={isChosen} />
      <label for={id} dir="auto">
        {label}
      </label>
    </div>
  );
}
