import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { Card } from '../../repository/content/find-cards.ts';
import type { PageQuery } from '../content/page-query.ts';
import { cardNote } from './card-note.ts';

/** The number of first pictures that browsers load at once. They load others when they are near the screen. */
const FIRST_PICTURES = 6;

interface Props {
  readonly cards: readonly Card[];
  /** The path prefix of the site. */
  readonly root: string;
  /** The language of the page. */
  readonly language?: string;
  readonly view?: PageQuery['view'];
  /** The id of the node whose members the cards are. */
  readonly parent?: number | undefined;
}

/** Nodes with a picture, a title and a line each, as a grid or a list. Needs the styles of `cards.css`. */
export function CardGrid({ cards, root, language = PAGE_LANGUAGE, view = 'grid', parent }: Props) {
  return (
    <ul class={`cards-${view}`}>
      {cards.map((card, at) => (
        <li key={card.id} class="card">
          <a href={root + entityPath.node(card.id) + (card.isGuest && parent !== undefined ? `?in=${parent}` : '')}>
            <CardPicture card={card} root={root} language={language} isFirst={at < FIRST_PICTURES} />
            <span class="card-title" dir="auto" {...langWithin(languageOf(card.language), language)}>
              {card.label}
            </span>
            <span class="card-note" {...langWithin(PAGE_LANGUAGE, language)}>
              {cardNote(card)}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

interface PictureProps {
  readonly card: Card;
  readonly root: string;
  readonly language: string;
  readonly isFirst: boolean;
}

/** The picture is decoration: the title beside it names the node. */
export function CardPicture({ card: { thumbnail, modelUri, isPrepared }, root, language, isFirst }: PictureProps) {
  if (thumbnail !== undefined) {
    const { path, width, height } = thumbnail;
    return (
      <span class="card-picture">
        <img
          src={root + path}
          alt=""
          width={width}
          height={height}
          loading={isFirst ? undefined : 'lazy'}
          decoding="async"
        />
      </span>
    );
  }
  return (
    <span class="card-picture">
      <ModelIcon uri={modelUri} />
      {isPrepared && (
        <span class="card-state" {...langWithin(PAGE_LANGUAGE, language)}>
          Picture is being prepared
        </span>
      )}
    </span>
  );
}

/** Outlines of the default models by the URI of their term, as paths in a square of 24. */
const OUTLINES: Readonly<Record<string, string>> = {
  'http://purl.org/dc/dcmitype/Collection': 'M3 7h18v13H3zM5 4h14M7 1.5h10',
  'http://purl.org/coar/resource_type/c_c513': 'M3 4h18v16H3zM3 16l5-5 4 4 3-3 6 6M16 8.5h.01',
  'http://purl.org/coar/resource_type/c_18cc':
    'M9 18V5l11-2v13M9 18a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM20 16a3 3 0 1 1-6 0 3 3 0 0 1 6 0z',
  'http://purl.org/coar/resource_type/c_12ce': 'M3 5h18v14H3zM7 5v14M17 5v14M3 9.7h4M3 14.3h4M17 9.7h4M17 14.3h4',
  'https://schema.org/DigitalDocument': 'M6 2h8l5 5v15H6zM14 2v5h5M9 12h7M9 15h7M9 18h5',
  'https://schema.org/Book': 'M12 6C9 4 6 3.5 2 4v15c4-.5 7 0 10 2 3-2 6-2.5 10-2V4c-4-.5-7 0-10 2zM12 6v15',
  'http://id.loc.gov/ontologies/bibframe/part': 'M5 2h14v20H5zM8 7h8M8 11h8M8 15h5',
  'https://schema.org/PublicationIssue': 'M4 3h16v18H4zM7 7h10M7 11h4v6H7zM14 11h3M14 14h3M14 17h3',
  'https://schema.org/Newspaper':
    'M3 4h14v16H5a2 2 0 0 1-2-2zM17 9h4v9a2 2 0 0 1-2 2h-2M6 8h8M6 12h3v4H6zM12 12h2M12 16h2',
  'http://vocab.getty.edu/aat/300242735': 'M3 3h8v8H3zM13 3h8v8h-8zM3 13h8v8H3zM13 13h8v8h-8z',
};
const FILE = 'M6 2h8l5 5v15H6zM14 2v5h5';

/** The outline of what a node is, for a card without a picture. `cards.css` draws its lines. */
function ModelIcon({ uri = '' }: { uri: string | undefined }) {
  const outline = Object.hasOwn(OUTLINES, uri) ? OUTLINES[uri] : FILE;
  return (
    <svg viewBox="0 0 24 24" width="48" height="48" aria-hidden="true">
      <path d={outline} />
    </svg>
  );
}
