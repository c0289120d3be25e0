import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { Card } from '../../repository/content/lists/find-cards.ts';
import type { PageQuery } from '../content/page-query.ts';
import { cardNote } from './counted-items.ts';

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
            <CardFailure card={card} language={language} />
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
export function CardPicture({ card: { thumbnail, icon, isPrepared }, root, language, isFirst }: PictureProps) {
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
      <ModelIcon outline={icon} />
      {isPrepared && (
        <span class="card-state" {...langWithin(PAGE_LANGUAGE, language)}>
          Picture is being prepared
        </span>
      )}
    </span>
  );
}

/** The reason why a card has no picture, for editors of its node. */
export function CardFailure({ card: { failure }, language }: { readonly card: Card; readonly language: string }) {
  if (failure === undefined) return null;
  return (
    <span class="card-note card-failure" {...langWithin(PAGE_LANGUAGE, language)}>
      The picture could not be made. {failure}
    </span>
  );
}

/** The outline of an item whose model has none. */
const FILE = 'M6 2h8l5 5v15H6zM14 2v5h5';

/** The outline of what a node is, for a card without a picture. `cards.css` draws its lines. */
function ModelIcon({ outline = FILE }: { outline: string | undefined }) {
  return (
    <svg viewBox="0 0 24 24" width="48" height="48" aria-hidden="true">
      <path d={outline} />
    </svg>
  );
}
