import { countInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { pathOf, paths } from '../../paths.ts';
import type { CreatingImport } from '../../transfer/import/find-imports.ts';
import type { Call } from '../../web/call.ts';
import type { HtmlPage } from '../../web/respond.ts';
import { AdminCrumbs } from '../admin/admin-crumbs.tsx';
import { PostButton } from '../admin/post-button.tsx';
import { formPage } from '../forms/form-page.tsx';

/** Returns the page on which the deletion of what an import has created is confirmed. */
export function deleteImportPage({ id, name, nodes }: CreatingImport, { site, formToken }: Call): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const page = pathOf('import', { import: id });
  return formPage({
    site,
    heading: `Delete what “${name}” created`,
    styles: ['cards.css'],
    crumbs: (
      <AdminCrumbs
        root={root}
        within={[
          { path: paths.imports, label: 'Imports' },
          { path: page, label: name },
        ]}
      />
    ),
    children: (
      <>
        <div class="warning">
          <p>
            <strong>
              {countInWords(nodes, 'item')} with their media and files are deleted permanently. This cannot be undone.
            </strong>
          </p>
          <p>
            Items stay if somebody has changed them or their media since, has added files to them, or has made other
            items their members. The page of the deletion names these. New terms stay, too.
          </p>
        </div>
        <p>The table can then be imported again.</p>
        <PostButton
          action={root + pathOf('importDelete', { import: id })}
          formToken={formToken}
          label={`Delete ${countInWords(nodes, 'item')}`}
        />
        <p>
          <a href={root + page}>Back to the import</a>
        </p>
      </>
    ),
  });
}
