import { errorOf, type FormProblem } from '../forms/error-summary.tsx';
import { Checkbox, FieldNotes } from '../forms/field.tsx';
import type { NamedRole } from './account-data.ts';

interface Props {
  readonly roles: readonly NamedRole[];
  readonly held: readonly string[];
  readonly problems: readonly FormProblem[];
}

/** The roles that an administrator may grant. */
export function RoleFields({ roles, held, problems }: Props) {
  return (
    <fieldset id="roles" tabIndex={-1}>
      <legend>Roles</legend>
      <FieldNotes
        name="roles"
        help={roles.length === 0 ? 'You may grant no roles.' : 'You can grant roles that permit no more than your own.'}
        error={errorOf(problems, 'roles')}
      />
      {roles.map(({ name, label }) => (
        <Checkbox
          key={name}
          name="roles"
          id={`role-${name}`}
          value={name}
          label={label}
          checked={held.includes(name)}
        />
      ))}
    </fieldset>
  );
}
