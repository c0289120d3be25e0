import { parseIsoSeconds } from '../../field-types/epoch-seconds.ts';
import { open } from '../../repository/content/content.ts';
import type { FilterValues, ListFilter } from '../../repository/lists/list-question.ts';
import { likeText, titleExpression } from '../../repository/lists/title-expression.ts';
import { type Call, parseId } from '../../web/call.ts';
import { resolveTarget } from '../edit/resolve-target.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import type { Choice, ListChoices, ManagedList } from './content-list-data.ts';
import { findWorks, memberField } from './find-works.ts';

/** The names of the filters of each list in the address, in their order. */
export const FILTER_NAMES: Readonly<Record<ManagedList, readonly string[]>> = {
  node: ['title', 'model', 'type', 'collection', 'parent', 'published', 'owner', 'changed_since', 'changed_until'],
  media: ['name', 'use', 'type', 'collection', 'published', 'owner', 'changed_since', 'changed_until'],
};

/** The filters of an address. */
export interface ReadFilters {
  /** The filters as they were typed, without empty ones. */
  readonly texts: Readonly<Record<string, string>>;
  readonly values: FilterValues;
  /** The names of the filters that are set, with words for their values. */
  readonly shown: ReadonlyMap<string, string>;
  readonly problems: readonly FormProblem[];
  /** The kind of rows of the list: works, or pages, too. Undefined where it is no choice. */
  readonly shows: 'works' | 'all' | undefined;
}

/** The parameter of a list that shows pages, too. */
export const SHOW = 'show';
export const ALL = 'all';
/** The filters that find pages. */
const WITH_PAGES = ['model', 'collection', 'parent'];

interface ParsedFilter {
  readonly filter: ListFilter;
  readonly value: string | number;
  readonly shown: string;
}

const MAX_CHARS = 200;
const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_SECONDS = 86_400;

/** Reads the filters of an address. An invalid one has a problem and does not filter. */
export async function readFilters(
  call: Call,
  list: ManagedList,
  query: URLSearchParams,
  choices: ListChoices,
): Promise<ReadFilters> {
  const texts: Record<string, string> = {};
  const values: Partial<Record<ListFilter, string | number>> = {};
  const shown = new Map<string, string>();
  const problems: FormProblem[] = [];
  for (const name of FILTER_NAMES[list]) {
    const text = query.get(name)?.trim().slice(0, MAX_CHARS) ?? '';
    if (text === '') continue;
    texts[name] = text;
    const parsed = await parse(call, name, text, choices);
    if (typeof parsed === 'string') problems.push({ field: name, message: parsed });
    else {
      values[parsed.filter] = parsed.value;
      shown.set(name, parsed.shown);
    }
  }
  const canShowWorks = WITH_PAGES.every((name) => texts[name] === undefined);
  const works = list === 'node' && canShowWorks ? await findWorks(call, choices) : undefined;
  const showsAll = query.get(SHOW) === ALL;
  if (works !== undefined && showsAll) texts[SHOW] = ALL;
  if (works !== undefined && !showsAll) values.works = works;
  return { texts, values, shown, problems, shows: works === undefined ? undefined : showsAll ? 'all' : 'works' };
}

/** Returns the parsed value of a filter, or a sentence about an invalid one. */
async function parse(call: Call, name: string, text: string, choices: ListChoices): Promise<ParsedFilter | string> {
  switch (name) {
    case 'title': {
      const value = titleExpression(text);
      return value === undefined ? 'Enter at least one word of the title.' : { filter: 'title', value, shown: text };
    }
    case 'name':
      return { filter: 'name', value: likeText(text), shown: text };
    case 'type':
      return chosen('type', text, choices.types) ?? 'Choose one of the types.';
    case 'model':
    case 'use':
      return numbered(name, text, choices.terms) ?? 'Choose one of the list.';
    case 'collection':
      return numbered('collection', text, choices.collections) ?? 'Enter the number of a collection.';
    case 'parent':
      return parentIn(call, text);
    case 'published':
      if (text !== 'yes' && text !== 'no') return 'Choose published or unpublished.';
      return {
        filter: 'published',
        value: text === 'yes' ? 1 : 0,
        shown: text === 'yes' ? 'Published' : 'Unpublished',
      };
    case 'owner': {
      const account = await call.api.findAccount.byName(text);
      return account === undefined
        ? `No user has the name “${text}”.`
        : { filter: 'owner', value: account.id, shown: account.name };
    }
    case 'changed_since':
    case 'changed_until': {
      const seconds = DAY.test(text) ? parseIsoSeconds(`${text}T00:00:00Z`) : undefined;
      if (seconds === undefined) return 'Enter a day, such as 2026-11-23.';
      if (name === 'changed_since') return { filter: 'changedSince', value: seconds, shown: text };
      return { filter: 'changedBefore', value: seconds + DAY_SECONDS, shown: text };
    }
    default:
      throw new RangeError(`a list has no filter ${name}`);
  }
}

function chosen(filter: ListFilter, text: string, choices: readonly Choice[]): ParsedFilter | undefined {
  const choice = choices.find(({ value }) => value === text);
  return choice && { filter, value: text, shown: choice.label };
}

/** Returns a filter by an id. An id that is not offered is one that was removed, or of too many to offer. */
function numbered(filter: ListFilter, text: string, choices: readonly Choice[] | undefined): ParsedFilter | undefined {
  const value = parseId(text);
  const shown = choices?.find((choice) => choice.value === text)?.label ?? `number ${text}`;
  return value === undefined ? undefined : { filter, value, shown };
}

/** Returns the filter for the members of an item, by its number or title. */
async function parentIn(call: Call, text: string): Promise<ParsedFilter | string> {
  const definition = memberField(call.api);
  if (definition === undefined) return 'No type of items has members.';
  const target = await resolveTarget(call, definition, text);
  if ('problem' in target) return target.problem;
  const node = await call.api.findContent('node', target.id);
  const isVisible = node?.kind.access.view(call.actor, node.head).isAllowed === true;
  if (node === undefined || !isVisible) return `There is no item ${target.id}.`;
  return { filter: 'parent', value: target.id, shown: open(node).draft.label };
}
