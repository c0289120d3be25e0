import type { ComponentChildren } from 'preact';
import { ScrollFrame } from './scroll-frame.tsx';

interface Props {
  /** The name of the frame for screen readers. */
  readonly label: string;
  readonly class?: string;
  readonly caption?: ComponentChildren;
  /** The headings of the columns. */
  readonly heads: readonly ComponentChildren[];
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table with a heading above each column, in a frame in which it scrolls. */
export function DataTable({ label, class: name, caption, heads, children }: Props) {
  return (
    <ScrollFrame label={label}>
      <table class={name}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {heads.map((head, at) => (
              <th key={at} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollFrame>
  );
}
