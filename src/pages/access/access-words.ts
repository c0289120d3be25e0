import { countInWords } from '../../base/in-words.ts';
import { dateInWords } from '../../field-types/display/date-in-words.ts';
import type { AccessRights, EffectiveRule } from '../../model/access-rules.ts';
import type { ContentModel } from '../../model/content-model.ts';

type Admitted = Pick<EffectiveRule, 'roles' | 'users' | 'networks' | 'terms'>;

/** Returns a rule in words for editors, with its dates, on a day of the site. */
export function ruleInWords(rule: EffectiveRule, { roles }: Pick<ContentModel, 'roles'>, today: string): string {
  const { level, from, until, problem } = rule;
  if (problem !== undefined) return `Only the owner and editors see the item, because its rule is broken: ${problem}`;
  if (level === 'open') return 'Everyone sees the item and its files.';
  if (until !== undefined && until <= today)
    return `Everyone sees the item and its files: the rule ended on ${dateInWords(until)}.`;
  const who = [...admittedBy(rule, (name) => roles.get(name)?.label ?? name), 'the owner', 'editors'];
  const listed = `${who.slice(0, -1).join(', ')} and ${who.at(-1)}`;
  const effect =
    level === 'closed'
      ? `only ${listed} see the item`
      : `everyone sees the description, and only ${listed} see all files`;
  const begins = from !== undefined && from > today;
  const sentence = begins ? `from ${dateInWords(from)}, ${effect}` : effect;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${until === undefined ? '' : `, until it opens on ${dateInWords(until)}`}.`;
}

/** Returns those whom a rule lets in besides the owner and editors. */
function admittedBy({ roles, users, networks, terms }: Admitted, labelOf: (role: string) => string): string[] {
  return [
    ...networks.map((name) => `callers on the network ${name}`),
    ...roles.map((name) => `users with the role ${labelOf(name)}`),
    ...(users.length === 0 ? [] : [countInWords(users.length, 'named user')]),
    ...(terms.length === 0 ? [] : ['holders of its access terms']),
  ];
}

/** Returns what rules close of an item, in words for everyone: "closed until 1 May 2027". */
export function rightsInWords({ level, until }: Pick<AccessRights, 'level' | 'until'>): string {
  const closed = level === 'closed' ? 'closed' : 'open by its description only';
  return until === undefined ? closed : `${closed} until ${dateInWords(until)}`;
}
