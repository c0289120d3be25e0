import type { AgentName } from '../description/agent.ts';

/** Scripts with initials. Names in others, such as Arabic or Chinese, are written in full. */
const WITH_INITIALS = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

/** Returns the name as it begins a list: `Adams, Ansel`. */
export function inverted(name: AgentName): string {
  if ('literal' in name) return name.literal;
  return [name.family, name.given, ...suffixOf(name)].join(', ');
}

/** Returns the name as it is spoken: `Ansel Adams`. */
export function natural(name: AgentName): string {
  if ('literal' in name) return name.literal;
  return [name.given, name.family, ...suffixOf(name)].join(' ');
}

/** Returns the name with initials: `Adams, A. E.`, `Sartre, J.-P.` */
export function withInitials(name: AgentName): string {
  if ('literal' in name) return name.literal;
  return [name.family, initials(name.given), ...suffixOf(name)].join(', ');
}

function initials(given: string): string {
  return given
    .split(/\s+/)
    .map((part) =>
      part
        .split(/([-‐])/)
        .map((piece) => (WITH_INITIALS.test(piece) ? piece.replace(/\./g, ' ').trim() : piece))
        .map((piece) =>
          WITH_INITIALS.test(piece)
            ? piece
                .split(' ')
                .map((word) => `${[...word][0]}.`)
                .join(' ')
            : piece,
        )
        .join(''),
    )
    .join(' ');
}

function suffixOf({ suffix }: { readonly suffix: string | undefined }): string[] {
  return suffix === undefined ? [] : [suffix];
}

/** Returns names as a list: `A`, `A and B`, `A, B, and C`. `two` and `last` separate the last name. */
export function listed(names: readonly string[], { two, last }: { two: string; last: string }): string {
  const [first = '', second = ''] = names;
  if (names.length < 3) return names.length < 2 ? first : `${first}${two}${second}`;
  return `${names.slice(0, -1).join(', ')}${last}${names.at(-1)}`;
}
