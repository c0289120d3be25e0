import { malformed } from '../../base/errors.ts';
import { parseId } from '../../web/call.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { memberOfField, OPENED, positionField } from './order-data.ts';

/** The fields of the form of an order. */
export interface OrderForm {
  readonly opened: string;
  /** The members in the order of the form, with what was typed as their positions. */
  readonly entries: readonly { readonly id: number; readonly typed: string }[];
}

/** Reads the form of an order. Throws `malformed` for a form that no page has: unknown ids, or the same one twice. */
export function readOrder(fields: URLSearchParams): OrderForm {
  const entries = new Map<number, string>();
  for (const [name, typed] of fields) {
    const text = memberOfField(name);
    if (text === undefined) continue;
    const id = parseId(text);
    if (id === undefined) throw malformed(`The field ${JSON.stringify(name.slice(0, 50))} does not name a member.`);
    if (entries.has(id)) throw malformed(`The form has the member ${id} twice.`);
    entries.set(id, typed.trim());
  }
  if (entries.size === 0) throw malformed('The form has no members.');
  return { opened: fields.get(OPENED) ?? '', entries: [...entries].map(([id, typed]) => ({ id, typed })) };
}

const WHOLE = /^\d{1,9}$/;
/** The number of problems that the summary of a page lists. */
const MAX_MESSAGES = 20;

/** An order of members, or the problems of its form. */
export interface ArrangedOrder {
  readonly ids: readonly number[];
  readonly messages: readonly FormProblem[];
}

/**
 * Moves each member whose position differs from its place in the form to that position. The others fill the remaining
 * positions in their order.
 */
export function arrangeMembers({ entries }: OrderForm): ArrangedOrder {
  const messages: FormProblem[] = [];
  const places: (number | undefined)[] = Array.from({ length: entries.length });
  const others: number[] = [];
  for (const [at, { id, typed }] of entries.entries()) {
    const field = positionField(id);
    const position = Number(typed);
    if (!WHOLE.test(typed) || position < 1 || position > entries.length) {
      const shown = typed === '' ? 'A position is missing' : `“${typed.slice(0, 20)}” is no position`;
      messages.push({ field, message: `${shown}. Enter a number from 1 to ${entries.length}.` });
    } else if (position === at + 1) others.push(id);
    else if (places[position - 1] !== undefined)
      messages.push({ field, message: `Two members are moved to position ${position}. Change one of them.` });
    else places[position - 1] = id;
  }
  if (messages.length > 0) return { ids: entries.map(({ id }) => id), messages: shortened(messages) };
  const rest = others.values();
  return { ids: places.map((id) => id ?? (rest.next().value as number)), messages };
}

function shortened(messages: readonly FormProblem[]): FormProblem[] {
  if (messages.length <= MAX_MESSAGES) return [...messages];
  const more = messages.length - MAX_MESSAGES;
  return [...messages.slice(0, MAX_MESSAGES), { message: `There are ${more} more such problems.` }];
}

/**
 * Returns the present members in the order of a form. Members that the form does not have follow the one that they follow at
 * present.
 */
export function mergeOrders(ofForm: readonly number[], present: readonly number[]): number[] {
  const [isKnown, isPresent] = [new Set(ofForm), new Set(present)];
  const first: number[] = [];
  const behind = new Map<number, number[]>();
  let group = first;
  for (const id of present) {
    if (isKnown.has(id)) {
      group = [];
      behind.set(id, group);
    } else group.push(id);
  }
  return [...first, ...ofForm.filter((id) => isPresent.has(id)).flatMap((id) => [id, ...(behind.get(id) ?? [])])];
}
