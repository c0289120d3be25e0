import { Type as t } from '@sinclair/typebox';
import { valuesOf } from '../../authorities/reconcile/term-properties.ts';
import { etagOf } from '../../http/etag.ts';
import { entityPath, paths } from '../../paths.ts';
import { termAccess } from '../../repository/access.ts';
import { membersOf } from '../../repository/content/content.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findShown } from '../../web/find-content-or-404.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import { representation } from '../../web/respond.ts';
import { assetPath } from '../assets/assets.ts';
import { htmlPage } from '../layout.tsx';

/** Values of a field that are shown. */
const MAX_SHOWN = 5;

/** The route of the small page of a term that clients of the Reconciliation API show in a frame. */
export const termPreviewRoutes = (api: ApiServices) =>
  resource(api).get(paths.reconcilePreview, async ({ call }) => preview(call), {
    check: { resource: 'entity.taxonomy_term', formats: PAGE_FORMATS },
    params: t.Object({ taxonomy_term: id('The id of the term.') }),
  });

async function preview(call: Call): Promise<Response> {
  const { api, baseUrl } = call;
  const { content } = await findShown(call, 'taxonomy_term', 'always');
  const { bundle, head } = content;
  const members = membersOf(content);
  const isPublic = termAccess.view(api.anonymous, head).isAllowed;
  const { pathname } = new URL(`${baseUrl}/`);
  const root = pathname.replace(/\/$/, '');
  const name = String(members.name?.[0]?.value ?? '');
  const rows = bundle.fields.flatMap(({ name: field, label }) => {
    const values = valuesOf(bundle, members, field).slice(0, MAX_SHOWN);
    return values.length === 0 ? [] : [{ label, values }];
  });
  const page = htmlPage(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{name}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="stylesheet" href={root + assetPath('frame.css')} />
      </head>
      <body>
        <main>
          <h1>
            <a href={baseUrl + entityPath.taxonomy_term(head.id)} target="_blank" rel="noopener">
              {name}
            </a>
          </h1>
          <p>{bundle.label}</p>
          <dl>
            {rows.map(({ label, values }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{values.join('; ')}</dd>
              </div>
            ))}
          </dl>
        </main>
      </body>
    </html>,
    { isEmbeddable: isPublic },
  );
  const response = representation(call, { ...page, etag: etagOf(page.body), changed: undefined, includesOthers: true });
  // The policy says which sites may show the page in a frame.
  if (isPublic) response.headers.delete('X-Frame-Options');
  return response;
}
