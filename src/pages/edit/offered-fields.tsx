import { BUTTON, type OfferedFields } from './content-form-data.ts';

const FIND_FIELD = 'find-field';

/** The fields that a form does not show yet. Each is a button that adds it; a script finds them by name. */
export function OfferedFieldsList({ offered }: { readonly offered: readonly OfferedFields[] }) {
  if (offered.length === 0) return null;
  return (
    <details class="add-field">
      <summary>Add a field</summary>
      <p class="find-field" hidden>
        <label for={FIND_FIELD}>Find a field</label>
        <input id={FIND_FIELD} type="search" autocomplete="off" dir="auto" />
      </p>
      <div class="offered">
        {offered.map(({ label, fields }) => (
          <section key={label} aria-label={label}>
            <h3>{label}</h3>
            <ul>
              {fields.map(({ name, label: text, help, unsuited, isSuited }) => (
                <li key={name} data-unsuited={unsuited} hidden={!isSuited}>
                  <button class="row-button" type="submit" name={BUTTON} value={`open ${name}`}>
                    {text}
                  </button>
                  {help && <span class="help">{help}</span>}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </details>
  );
}
