import { countInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import type { CreatedNode, CreatingImport } from '../../transfer/import/find-imports.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { AdminCrumbs } from '../admin/admin-crumbs.tsx';
import { Pager } from '../cards/pager.tsx';
import { DataTable } from '../data-table.tsx';
import { formPage } from '../forms/form-page.tsx';
import { timeText } from '../manage/manage-words.ts';
import { importStateInWords } from './import-words.ts';

interface FinishedImportData {
  readonly import: CreatingImport;
  readonly nodes: readonly CreatedNode[];
  /** The page of the nodes, from 0. */
  readonly page: number;
  readonly pages: number;
}

/** Returns the page of an import: its state, the items that it created, and the link that deletes them. */
export function finishedImportPage(data: FinishedImportData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { import: shown, page, pages } = data;
  const { id, name, userName, createdAt, deletedBy, problem, isUnderWay, nodes } = shown;
  return formPage({
    site,
    heading: name,
    isWide: true,
    styles: ['table.css', 'cards.css'],
    lead: (
      <p>
        {importStateInWords(shown)} Started on {timeText(createdAt)} (UTC)
        {userName !== null && (
          <>
            {' '}
            by <bdi>{userName}</bdi>
          </>
        )}
        .
      </p>
    ),
    crumbs: <AdminCrumbs root={root} within={[{ path: paths.imports, label: 'Imports' }]} />,
    children: (
      <>
        {problem !== undefined && <p class="warning">{problem}</p>}
        {deletedBy !== undefined && (
          <p>
            <a href={root + pathOf('bulkRun', { run: deletedBy })}>The deletion of what it created</a>
          </p>
        )}
        {deletedBy === undefined && !isUnderWay && nodes > 0 && (
          <p>
            <a class="button quiet" href={root + pathOf('importDelete', { import: id })}>
              Delete what it created
            </a>
          </p>
        )}
        <Nodes nodes={data.nodes} count={nodes} root={root} />
        <Pager
          page={page}
          pages={pages}
          addressOf={(each) => `${root}${pathOf('import', { import: id })}?page=${each}`}
        />
      </>
    ),
  });
}

interface NodesProps {
  readonly nodes: readonly CreatedNode[];
  readonly count: number;
  readonly root: string;
}

function Nodes({ nodes, count, root }: NodesProps) {
  return (
    <DataTable label="Items" class="rows" caption={countInWords(count, 'item')} heads={['Row', 'Item', 'Number']}>
      {nodes.map(({ id, rowId, label }) => (
        <tr key={id}>
          <td dir="auto">{rowId}</td>
          <th scope="row">
            {label === null ? (
              <span class="soft">Deleted</span>
            ) : (
              <a href={root + entityPath.node(id)} dir="auto">
                {label}
              </a>
            )}
          </th>
          <td class="number">{id}</td>
        </tr>
      ))}
    </DataTable>
  );
}
