import { pathOf, paths } from '../../paths.ts';
import { findTermsByUri } from '../../repository/content/lists/lists.ts';
import type { Call } from '../../web/call.ts';

/** The steps that lead the first people of an empty repository. The links begin at the root of the site. */
export interface SiteSteps {
  /** The form of a new collection. Undefined for a caller who may not create one, or a content model without any. */
  readonly collection: string | undefined;
  readonly table: string | undefined;
  readonly site: string | undefined;
}

/** Finds the steps that the caller may take. Undefined if there is none. */
export async function findSiteSteps({ api, actor, site }: Call): Promise<SiteSteps | undefined> {
  const managed = (path: string) => site.user?.managed?.find((page) => page.path === path)?.path;
  const collection = site.user?.mayAdd ? await collectionForm({ api, actor }) : undefined;
  const steps = { collection, table: managed(paths.tableImports), site: managed(paths.siteSettings) };
  return Object.values(steps).some((step) => step !== undefined) ? steps : undefined;
}

/** Returns the form of a new item, with the model of collections chosen. */
async function collectionForm({ api, actor }: Pick<Call, 'api' | 'actor'>): Promise<string | undefined> {
  const { services, kinds } = api;
  const [uri] = services.model.models.urisOf('collection');
  const type = [...services.model.nodeTypes.values()].find(
    ({ name, fieldNamed }) => fieldNamed.has('field_model') && kinds.node.access.create(actor, name).isAllowed,
  );
  if (uri === undefined || type === undefined) return undefined;
  const [term] = await findTermsByUri(services, kinds.taxonomy_term, 'field_external_uri', uri);
  const form = pathOf('nodeAddForm', { node_type: type.name });
  return term === undefined ? form : `${form}?field_model=${term.head.id}`;
}

/** The first steps, for the first page of an empty repository. */
export function FirstSteps({ steps, root }: { readonly steps: SiteSteps; readonly root: string }) {
  const { collection, table, site } = steps;
  return (
    <section class="first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <p>This repository is empty. Readers see nothing but its name.</p>
      <ol>
        {collection && (
          <>
            <li>
              <a href={root + collection}>Make a collection</a>, which holds items of one kind or origin.
            </li>
            <li>
              Add files: “Add files” on the page of the collection makes an item of each photograph, document or
              recording.
            </li>
          </>
        )}
        {table && (
          <li>
            Or <a href={root + table}>load a table</a> of many items with their files, from a spreadsheet.
          </li>
        )}
        {site && (
          <li>
            <a href={root + site}>Set name and logo</a>, colours, an introduction, and the header menu.
          </li>
        )}
      </ol>
    </section>
  );
}
