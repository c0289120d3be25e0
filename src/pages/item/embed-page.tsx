import { Type as t } from '@sinclair/typebox';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { etagOf } from '../../http/etag.ts';
import { entityPath, paths } from '../../paths.ts';
import { nodeAccess } from '../../repository/access.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { noteUse } from '../../web/count-use.ts';
import { findShown } from '../../web/find-content-or-404.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import { type HtmlPage, representation } from '../../web/respond.ts';
import type { PageSource } from '../../web/site.ts';
import { assetPath } from '../assets/assets.ts';
import type { ContentView } from '../content/shown-content.ts';
import { htmlPage } from '../layout.tsx';
import { STYLE_NONCE } from '../security-policy.ts';
import { viewOf } from '../view.ts';
import { gatherStage } from '../viewer/gather-stage.ts';
import type { Stage } from '../viewer/stage.ts';
import { Viewer } from '../viewer/viewer.tsx';
import { viewerAssets } from '../viewer/viewer-assets.ts';

/** The route of the page that other sites show in a frame. */
export const embedRoutes = (api: ApiServices) =>
  resource(api).get(paths.nodeEmbed, async ({ call }) => embed(call), {
    check: { resource: 'entity.node', formats: PAGE_FORMATS },
    params: t.Object({ node: id('The id of the node.') }),
  });

/** Answers the page of a node for a frame. */
async function embed(call: Call): Promise<Response> {
  const { api, pageSource } = call;
  const entity = await findShown(call, 'node', 'always');
  const { content, surroundings, parsed } = entity;
  noteUse(call, 'page', content.head.id);
  const stage = await gatherStage(call, entity);
  const isPublic = nodeAccess.view(api.anonymous, content.head).isAllowed;
  const page = embedPage({ content: parsed(), around: surroundings, links: [] }, { stage, isPublic }, pageSource);
  const response = representation(call, {
    ...page,
    etag: etagOf(page.body),
    changed: undefined,
    includesOthers: true,
  });
  // The policy says which sites may show the page in a frame.
  if (isPublic) response.headers.delete('X-Frame-Options');
  return response;
}

/** The further data of a node's page for a frame. */
interface EmbedPageData {
  /** True if anyone may view the node: other sites may then show the page. */
  readonly isPublic: boolean;
  readonly stage: Stage | undefined;
}

/** Returns the page of a node for a frame: its files and a link to its page. */
function embedPage({ content, around }: ContentView, { stage, isPublic }: EmbedPageData, source: PageSource): HtmlPage {
  const view = viewOf(content, around, source);
  const { label, language, root } = view;
  const lang = langWithin(PAGE_LANGUAGE, language);
  const { styles, modules, needs } = viewerAssets(stage);
  const address = source.baseUrl + entityPath.node(content.head.id);
  return htmlPage(
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        {needs.hasStyleNonce && <meta name="style-nonce" nonce={STYLE_NONCE} />}
        <title>{label}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="canonical" href={address} />
        {(['frame.css', 'record.css', 'embed.css', ...styles] as const).map((name) => (
          <link key={name} rel="stylesheet" href={root + assetPath(name)} />
        ))}
        {modules.map((name) => (
          <script key={name} type="module" src={root + assetPath(name)} />
        ))}
      </head>
      <body class="embed">
        <main>
          <div class="stage">
            {stage ? <Viewer view={view} stage={stage} /> : <p {...lang}>This item has nothing to show here.</p>}
          </div>
          <h1>
            <a href={address} target="_blank" rel="noopener" dir="auto">
              {label}
            </a>
          </h1>
          <p class="soft">
            <bdi>{source.siteName}</bdi>
          </p>
        </main>
      </body>
    </html>,
    { ...needs, isEmbeddable: isPublic },
  );
}
