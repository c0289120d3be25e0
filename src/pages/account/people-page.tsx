import { numberText } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import { PEOPLE_PER_PAGE, type PeopleFilter, type Person } from '../../repository/users/find-people.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { Pager } from '../cards/pager.tsx';
import { DataTable } from '../data-table.tsx';
import { Select, TextInput } from '../forms/field.tsx';
import { formPage } from '../forms/form-page.tsx';
import { Moment } from '../revisions/revision-words.tsx';
import type { NamedRole, PeopleData } from './account-data.ts';

const STATUSES = [
  { value: 'active', label: 'Active' },
  { value: 'blocked', label: 'Blocked' },
];
const SORTS = [
  { value: 'name', label: 'Name' },
  { value: 'created', label: 'Newest accounts' },
  { value: 'login', label: 'Last sign-in' },
];

/** Returns the page with the list of accounts. */
export function peoplePage({ people, total, filter, roles }: PeopleData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const isFiltered = filter.text !== undefined || filter.role !== undefined || filter.status !== undefined;
  return formPage({
    site,
    heading: 'People',
    isWide: true,
    styles: ['account.css', 'table.css', 'cards.css'],
    children: (
      <>
        <p>
          <a class="button" href={root + paths.userAdd}>
            Add a person
          </a>
        </p>
        <Filters filter={filter} roles={roles} root={root} isFiltered={isFiltered} />
        {people.length === 0 ? (
          <p>No account matches. {isFiltered && 'Try a shorter part of the name, or clear the filters.'}</p>
        ) : (
          <Table people={people} total={total} roles={roles} root={root} />
        )}
        <Pager
          page={filter.page}
          pages={Math.ceil(total / PEOPLE_PER_PAGE)}
          addressOf={(page) => root + listAddress({ ...filter, page })}
        />
      </>
    ),
  });
}

function listAddress({ text, role, status, sort, page }: PeopleFilter): string {
  const given = {
    q: text,
    role,
    status,
    sort: sort === 'name' ? undefined : sort,
    page: page > 0 ? `${page}` : undefined,
  };
  const query = new URLSearchParams(Object.entries(given).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return query.size === 0 ? paths.users : `${paths.users}?${query}`;
}

function Filters({
  filter,
  roles,
  root,
  isFiltered,
}: Pick<PeopleData, 'filter' | 'roles'> & { readonly root: string; readonly isFiltered: boolean }) {
  const shown = roles.filter(({ name }) => name !== 'anonymous' && name !== 'authenticated');
  return (
    <form method="get" action={root + paths.users} aria-label="Filters">
      <div class="filters">
        <TextInput name="q" label="Name or mail address" type="search" value={filter.text} />
        <Select
          name="role"
          label="Role"
          value={filter.role}
          none="Any"
          options={shown.map(({ name, label }) => ({ value: name, label }))}
        />
        <Select name="status" label="Status" value={filter.status} none="Any" options={STATUSES} />
        <Select name="sort" label="Order" value={filter.sort} options={SORTS} />
        <button class="button quiet" type="submit">
          Show
        </button>
      </div>
      {isFiltered && (
        <p>
          <a href={root + paths.users}>Clear the filters</a>
        </p>
      )}
    </form>
  );
}

function Table({
  people,
  total,
  roles,
  root,
}: Pick<PeopleData, 'people' | 'total' | 'roles'> & { readonly root: string }) {
  const caption = total === 1 ? 'One account' : `${numberText(total)} accounts`;
  return (
    <DataTable
      label="Accounts"
      class="rows people"
      caption={caption}
      heads={[
        'Name',
        'Mail address',
        'Roles',
        'Status',
        'Last sign-in',
        <span key="actions" class="unseen">
          Actions
        </span>,
      ]}
    >
      {people.map((person) => (
        <Row key={person.id} person={person} roles={roles} root={root} />
      ))}
    </DataTable>
  );
}

function Row({ person, roles, root }: { person: Person; roles: readonly NamedRole[]; root: string }) {
  const { id, name, mail, status, login } = person;
  const labels = person.roles.map((role) => roles.find((each) => each.name === role)?.label ?? role);
  return (
    <tr>
      <th scope="row">
        <a href={root + entityPath.user(id)}>
          <bdi>{name}</bdi>
        </a>
      </th>
      <td>{mail}</td>
      <td>{labels.join(', ')}</td>
      <td>{status ? 'Active' : 'Blocked'}</td>
      <td>{login === 0 ? 'Never' : <Moment at={login} />}</td>
      <td>
        <a href={root + pathOf('userEdit', { user: id })}>
          Edit<span class="unseen"> {name}</span>
        </a>
      </td>
    </tr>
  );
}
