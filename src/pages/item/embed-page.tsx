import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { PageSource } from '../../web/site.ts';
import { assetPath } from '../assets/assets.ts';
import type { ShownContent } from '../content/shown-content.ts';
import { type HtmlPage, htmlPage } from '../layout.tsx';
import { STYLE_NONCE } from '../security-policy.ts';
import { viewOf } from '../view.ts';
import type { Stage } from '../viewer/stage.ts';
import { Viewer } from '../viewer/viewer.tsx';
import { viewerAssets } from '../viewer/viewer-assets.ts';

/** The further data of a node's page for a frame. */
export interface EmbedPageData {
  /** True if anyone may view the node: other sites may then show the page. */
  readonly isPublic: boolean;
  readonly stage: Stage | undefined;
}

/** Returns the page of a node for a frame: its files and a link to its page. */
export function embedPage(
  { content, around }: ShownContent,
  { stage, isPublic }: EmbedPageData,
  source: PageSource,
): HtmlPage {
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
