import { numberText } from '../../base/in-words.ts';
import { entityPath } from '../../paths.ts';
import { assetPath } from '../assets/assets.ts';
import type { StageProps } from './stage-props.ts';

/** The first pages of a book or parts of an item, which a script replaces by a viewer of all. */
export function PagesStage({ stage: { manifest, cards, total, query }, root, lang }: StageProps<'pages'>) {
  return (
    <section
      class="viewer viewer-pages"
      aria-label="Viewer of the pages"
      data-library={root + assetPath('mirador.js')}
      data-manifest={root + manifest}
      data-query={query}
      {...lang}
    >
      <div class="viewer-still">
        <ol class="viewer-strip">
          {cards.map(({ id, label, language, thumbnail }) => (
            <li key={id}>
              <a href={root + entityPath.node(id)}>
                {thumbnail ? (
                  <img src={root + thumbnail.path} alt="" width={thumbnail.width} height={thumbnail.height} />
                ) : (
                  <span class="viewer-blank" />
                )}
                <bdi lang={language}>{label}</bdi>
              </a>
            </li>
          ))}
        </ol>
        {total > cards.length && (
          <p class="viewer-note">
            The first {cards.length} of {numberText(total)}. The others are listed below.
          </p>
        )}
      </div>
    </section>
  );
}
