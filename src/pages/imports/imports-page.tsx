import { countInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { pathOf, paths } from '../../paths.ts';
import type { ListedImport } from '../../transfer/import/find-imports.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { AdminCrumbs } from '../admin/admin-crumbs.tsx';
import { DataTable } from '../data-table.tsx';
import { formPage } from '../forms/form-page.tsx';
import { progressText, totalOf } from '../manage/bulk-words.ts';
import { countedEntries, timeText } from '../manage/manage-words.ts';
import { importStateInWords } from './import-words.ts';

interface ImportsData {
  readonly imports: readonly ListedImport[];
  /** True if the list has the imports of all users. */
  readonly isAll: boolean;
}

/** Returns the list of imported tables. */
export function importsPage({ imports, isAll }: ImportsData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: 'Imports',
    isWide: true,
    styles: ['table.css', 'cards.css'],
    lead: (
      <p>
        Tables that were imported {isAll ? 'by all users' : 'by you'}, in a browser or by <code>repo import</code>.{' '}
        <a href={root + paths.tableImports}>Import a table</a>
      </p>
    ),
    crumbs: <AdminCrumbs root={root} />,
    children:
      imports.length === 0 ? (
        <p class="empty">No table was imported yet.</p>
      ) : (
        <DataTable label="Imports" class="rows" heads={['Table', 'Effect', 'State', 'User', 'Started']}>
          {imports.map((each) => (
            <Row {...rowOf(each)} root={root} />
          ))}
        </DataTable>
      ),
  });
}

interface RowProps {
  readonly id: number;
  readonly path: string;
  readonly name: string;
  readonly effect: string;
  readonly state: string;
  readonly userName: string | null;
  readonly createdAt: number;
}

function rowOf(listed: ListedImport): RowProps {
  if (listed.kind === 'update') {
    const { run } = listed;
    const { id, userName, createdAt, undoneBy, parameters } = run;
    return {
      ...{ id, path: pathOf('bulkRun', { run: id }), name: parameters.targetLabel ?? '', userName, createdAt },
      effect: `Changes ${countedEntries(totalOf(run), run.type)}`,
      state: undoneBy === null ? progressText(run) : 'Undone.',
    };
  }
  const { id, name, userName, createdAt, nodes } = listed.import;
  return {
    ...{ id, path: pathOf('import', { import: id }), name, userName, createdAt },
    effect: `Created ${countInWords(nodes, 'item')}`,
    state: importStateInWords(listed.import),
  };
}

function Row({ id, path, name, effect, state, userName, createdAt, root }: RowProps & { readonly root: string }) {
  return (
    <tr key={id}>
      <th scope="row">
        <a href={root + path} dir="auto">
          {name}
        </a>{' '}
        <span class="soft small">{id}</span>
      </th>
      <td>{effect}</td>
      <td>{state}</td>
      <td>
        <bdi>{userName ?? ''}</bdi>
      </td>
      <td class="time">{timeText(createdAt)}</td>
    </tr>
  );
}
