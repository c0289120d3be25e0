import type { Control } from '../../field-types/control.ts';
import { BUTTON, controlName, type FormField, type FormRow, REST } from '../edit/content-form-data.ts';
import { type CreatableName, withArticle } from '../edit/new-term-choices.ts';
import { ControlView } from './control-view.tsx';
import { FieldNotes, RequiredMark } from './field.tsx';

interface Props {
  readonly field: FormField;
  readonly root: string;
}

/** A field of the form of content: one value, or several that can be added, removed and moved. */
export function FormFieldView({ field, root }: Props) {
  const { name, label, isRequired, help, controls, rows, isMultiple, isOpen, mostRows, error, missing, note } = field;
  const [only] = controls;
  if (!isMultiple && controls.length === 1 && only !== undefined) {
    const [row] = rows;
    return row === undefined ? null : <Row field={field} row={row} delta={0} root={root} label={label} />;
  }
  const notes = { name: `${name}-field`, help, error };
  const described = [help && `${notes.name}-help`, error && `${notes.name}-error`].filter(Boolean).join(' ');
  return (
    <fieldset
      class={error ? 'field values invalid' : 'field values'}
      data-field={name}
      data-label={label}
      data-missing={missing}
      aria-describedby={described || undefined}
      {...(isMultiple && { 'data-most': Number.isFinite(mostRows) ? String(mostRows) : 'any' })}
    >
      <legend>
        {label}
        {isRequired && <RequiredMark />}
      </legend>
      <FieldNotes {...notes} />
      {note && <p class="field-note">{note}</p>}
      {rows.length === 0 && <p class="soft">No file. Files are added by an upload.</p>}
      <ol class="value-rows">
        {rows.map((row, delta) => (
          <li key={delta} class="value-row">
            <div class="value-controls" {...groupOf(field, delta)}>
              <Row field={field} row={row} delta={delta} root={root} />
            </div>
            {isMultiple && (rows.length > 1 || !isBlank(row, controls)) && <RowButtons field={field} delta={delta} />}
          </li>
        ))}
      </ol>
      {isMultiple && mostRows > 0 && (
        <button class="button quiet small add" type="submit" name={BUTTON} value={`add ${name}`} hidden={!isOpen}>
          Add another<span class="unseen"> value of {label}</span>
        </button>
      )}
    </fieldset>
  );
}

/** The attributes of a value with several controls, whose labels are the same in each value. */
function groupOf({ label, controls, isMultiple }: FormField, delta: number) {
  return isMultiple && controls.length > 1 ? { role: 'group' as const, 'aria-label': `${label} ${delta + 1}` } : {};
}

/** Returns true for a row in which nothing is typed or chosen. A choice without an empty one does not count. */
function isBlank({ texts }: FormRow, controls: FormField['controls']): boolean {
  return controls.every(({ kind, member }) => kind === 'flag' || kind === 'choice' || !texts[member]?.trim());
}

interface RowProps extends Props {
  readonly row: FormRow;
  readonly delta: number;
  /** The label of the only control. */
  readonly label?: string | undefined;
}

function Row({ field, row, delta, root, label }: RowProps) {
  const { name, controls } = field;
  const folds = [...Map.groupBy(controls, ({ fold }) => fold)];
  return (
    <>
      {row.rest !== '{}' && <input type="hidden" name={controlName(name, delta, REST)} value={row.rest} />}
      {folds.map(([fold, members]) => {
        const views = members.map((control) => (
          <RowControl key={control.member} {...{ field, row, delta, root, label, control }} />
        ));
        if (fold === undefined) return views;
        return (
          <details key={fold} class="fold" open={members.some(({ member }) => row.texts[member] || row.errors[member])}>
            <summary>{fold}</summary>
            {views}
          </details>
        );
      })}
      {row.errors[''] && controls[0] === undefined && <p class="error">{row.errors['']}</p>}
      {row.creatable !== undefined && <NewTermButtons field={name} delta={delta} creatable={row.creatable} />}
    </>
  );
}

function RowControl({ field, row, delta, root, label, control }: RowProps & { readonly control: Control }) {
  const { name, controls, isMultiple, isRequired } = field;
  const own = label ?? (controls.length === 1 ? `${field.label}${isMultiple ? ` ${delta + 1}` : ''}` : undefined);
  return (
    <ControlView
      control={control}
      field={field}
      row={row}
      name={controlName(name, delta, control.member)}
      label={control.label ?? own ?? field.label}
      isLabelHidden={label === undefined && control.label === undefined}
      isRequired={label !== undefined && isRequired}
      root={root}
    />
  );
}

/** A button for each vocabulary in which a name may become a term. */
function NewTermButtons({ field, delta, creatable }: { field: string; delta: number; creatable: CreatableName }) {
  return (
    <div class="buttons new-terms">
      {creatable.choices.map(({ name, noun }) => (
        <button
          key={name}
          class="button quiet small"
          type="submit"
          name={BUTTON}
          value={`create ${field} ${delta} ${name}`}
        >
          Create “<bdi>{creatable.name}</bdi>” as {withArticle(noun)}
        </button>
      ))}
    </div>
  );
}

function RowButtons({ field: { name, label, rows }, delta }: { field: FormField; delta: number }) {
  const place = `${label} ${delta + 1}`;
  return (
    <div class="row-buttons">
      {rows.length > 1 && (
        <>
          <RowButton value={`up ${name} ${delta}`} text="Up" place={place} isOff={delta === 0} />
          <RowButton value={`down ${name} ${delta}`} text="Down" place={place} isOff={delta === rows.length - 1} />
        </>
      )}
      <RowButton value={`remove ${name} ${delta}`} text="Remove" place={place} isOff={false} />
    </div>
  );
}

function RowButton({ value, text, place, isOff }: { value: string; text: string; place: string; isOff: boolean }) {
  return (
    <button class="row-button" type="submit" name={BUTTON} value={value} disabled={isOff}>
      {text}
      <span class="unseen">: {place}</span>
    </button>
  );
}
