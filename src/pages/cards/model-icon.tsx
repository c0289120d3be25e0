/** The outline of an item whose model has none. */
const FILE = 'M6 2h8l5 5v15H6zM14 2v5h5';

/** The outline of what a node is, for a card without a picture. `cards.css` draws its lines. */
export function ModelIcon({ outline = FILE }: { outline: string | undefined }) {
  return (
    <svg viewBox="0 0 24 24" width="48" height="48" aria-hidden="true">
      <path d={outline} />
    </svg>
  );
}
