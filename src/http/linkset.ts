import type { Link } from './link-header.ts';
import { encodeAddress, inOneLine, isMediaType, linkValue } from './link-header.ts';

/** The links of one resource. */
export interface AnchoredLinks {
  /** The absolute address of the resource. */
  readonly anchor: string;
  readonly links: readonly Link[];
}

/** A target as a link set in JSON has it. A title is text of any language there (RFC 9264 section 4.2.4). */
interface Target {
  href: string;
  type?: string;
  title?: string;
}

/** A document `application/linkset` (RFC 9264 section 4.1): the links as a header has them, one in each line. */
export function linksetText(anchored: readonly AnchoredLinks[]): string {
  const lines = [...byAnchor(anchored)].flatMap(([anchor, links]) =>
    links.map((link) => `${linkValue(link)}; anchor="${anchor}"`),
  );
  return lines.join(',\n');
}

/**
 * A document `application/linkset+json` (RFC 9264 section 4.2): for each anchor its relations, registered ones by
 * name and others by their URI, each with its targets.
 */
export function linksetJson(anchored: readonly AnchoredLinks[]): string {
  const linkset = Array.from(byAnchor(anchored), ([anchor, links]) => {
    const targets = new Map<string, Target[]>();
    for (const link of links) {
      const known = targets.get(link.rel);
      if (known === undefined) targets.set(link.rel, [targetOf(link)]);
      else known.push(targetOf(link));
    }
    return { anchor, ...Object.fromEntries(targets) };
  });
  return JSON.stringify({ linkset });
}

/** All links of each anchor, in the order in which they come, and each once. */
function byAnchor(anchored: readonly AnchoredLinks[]): Map<string, Link[]> {
  const linksOf = new Map<string, Link[]>();
  const known = new Set<string>();
  for (const { anchor, links } of anchored) {
    const context = encodeAddress(anchor);
    const list = linksOf.get(context) ?? [];
    for (const link of links) {
      const key = `${context} ${link.rel} ${link.href} ${link.title ?? ''}`;
      if (!known.has(key)) list.push(link);
      known.add(key);
    }
    if (list.length > 0) linksOf.set(context, list);
  }
  return linksOf;
}

function targetOf({ href, type, title }: Link): Target {
  const target: Target = { href: encodeAddress(href) };
  if (type !== undefined && isMediaType(type)) target.type = type;
  if (title !== undefined && title !== '') target.title = inOneLine(title);
  return target;
}
