import type { CitationPart } from '../../repository/content/tombstones.ts';

/** A part of a citation. A page shows an address as a link. */
export type Run = CitationPart;

const ENDS_SENTENCE = /[.!?…][”’"']*$/;

/** Returns text as one part. */
export function plain(text: string): Run[] {
  return [{ text }];
}

/** Returns a title in italics. */
export function italic(text: string): Run[] {
  return [{ text, isItalic: true }];
}

/** Returns a title in quotation marks, with the full stop inside. */
export function quoted(text: string): Run[] {
  const inner = text.replaceAll('“', '‘').replaceAll('”', '’');
  return [{ text: `“${inner}${ENDS_SENTENCE.test(inner) ? '' : '.'}”` }];
}

/** Returns an address at the end of a citation. */
export function address(text: string): Run[] {
  return [{ text, isAddress: true }];
}

/** Joins parts to sentences. Each ends with one full stop, unless its text ends with a mark already. */
export function sentences(parts: readonly (readonly Run[] | undefined)[], lastStop: '.' | ''): Run[] {
  const present = parts.filter((part): part is readonly Run[] => part !== undefined && part.length > 0);
  return present.flatMap((part, at) => {
    const isLast = at === present.length - 1;
    const stop = ENDS_SENTENCE.test(part.at(-1)?.text ?? '') ? '' : isLast ? lastStop : '.';
    return [...part, ...plain(stop + (isLast ? '' : ' '))];
  });
}
