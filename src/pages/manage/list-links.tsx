import type { ContentListData } from './content-list-data.ts';

interface Props {
  readonly links: ContentListData['links'];
  readonly root: string;
}

/** Links to the other pages of a list whose pages follow each other by their last entry. */
export function ListLinks({ links, root }: Props) {
  const shown = (
    [
      ['first', 'First', undefined],
      ['previous', 'Previous', 'prev'],
      ['next', 'Next', 'next'],
      ['last', 'Last', undefined],
    ] as const
  ).filter(([name]) => links[name] !== undefined);
  if (shown.length === 0) return null;
  return (
    <nav class="list-links" aria-label="Pages of this list">
      <ul>
        {shown.map(([name, label, rel]) => (
          <li key={name}>
            <a rel={rel} href={root + links[name]}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
