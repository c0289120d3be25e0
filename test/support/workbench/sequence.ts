import { type MemberKind, readMember } from './members.ts';
import type { Workbench, WorkbenchAnswer } from './workbench.ts';

/** The variables of a run: `{nid}` in a path or text is replaced by the value; `#{nid}` as the whole text is the value itself. */
export type Facts = Record<string, unknown>;

/** One request of a recorded sequence. */
export interface Step {
  /** Method and path: `GET /node/{nid}?_format=json`. */
  readonly send: string;
  /** The body, or what makes it of what is known. */
  readonly json?: object | ((facts: Facts) => object);
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isAnonymous?: boolean;
  readonly followsRedirects?: boolean;
  /** The statuses that Workbench goes on after. */
  readonly accepts: readonly number[];
  /** The members that it reads of the answer, and what each must be; `= 7` for exactly that. */
  readonly reads?: Readonly<Record<string, MemberKind>>;
  /** The members to store for later steps. */
  readonly keeps?: Readonly<Record<string, string>>;
  /** For what a kind cannot say. */
  readonly check?: (json: unknown, answer: WorkbenchAnswer, facts: Facts) => void;
}

/** Requests that depend on earlier answers. */
export type Block = (workbench: Workbench, facts: Facts) => Promise<void>;

/** The requests of Workbench for a task, in order. */
export type Sequence = readonly (Step | Block)[];

/**
 * Sends a sequence and reads what Workbench reads. Throws, naming the step, where it would stop, skip its row, or
 * crash. Returns what was kept. `{edit}` is known from the start.
 */
export async function replay(workbench: Workbench, sequence: Sequence, known: Facts = {}): Promise<Facts> {
  const facts: Facts = { edit: workbench.edit, host: workbench.options.host, ...known };
  for (const step of sequence) {
    if (typeof step === 'function') await step(workbench, facts);
    else await sendStep(workbench, step, facts);
  }
  return facts;
}

/** Several steps as one. */
export function block(...sequence: Sequence): Block {
  return async (workbench, facts) => {
    Object.assign(facts, await replay(workbench, sequence, facts));
  };
}

async function sendStep(workbench: Workbench, step: Step, facts: Facts): Promise<void> {
  const [, method = '', path = ''] = /^(\w+) (.*)$/s.exec(fill(step.send, facts)) ?? [];
  const { reads = {}, keeps = {}, check } = step;
  const isBodyRead = Object.keys(reads).length > 0 || check !== undefined || method === 'GET';
  const body = typeof step.json === 'function' ? step.json(facts) : step.json;
  const answer = await workbench.send(method, path, {
    json: body && filled(body, facts),
    bytes: step.bytes,
    headers: step.headers && (filled(step.headers, facts) as Record<string, string>),
    isAnonymous: step.isAnonymous,
    followsRedirects: step.followsRedirects,
    isBodyRead,
  });
  if (!step.accepts.includes(answer.status))
    throw new Error(
      `${method} ${path}: ${answer.status} where ${step.accepts.join(' or ')} is needed: ${answer.text.slice(0, 2_000)}`,
    );
  if (Object.keys(reads).length === 0 && check === undefined) return;
  try {
    const found = method === 'HEAD' || answer.status === 204 ? undefined : answer.json();
    for (const [member, kind] of Object.entries(reads)) readMember(found, member, fill(kind, facts) as MemberKind);
    for (const [name, member] of Object.entries(keeps)) facts[name] = readMember(found, member, 'there');
    check?.(found, answer, facts);
  } catch (cause) {
    throw new Error(`${method} ${path}: ${(cause as Error).message}\n${answer.text.slice(0, 2_000)}`, { cause });
  }
}

function fill(text: string, facts: Facts): string {
  return text.replaceAll(/\{([\w /]+)\}/g, (_, name: string) => String(known(name, facts)));
}

function filled(value: unknown, facts: Facts): unknown {
  if (typeof value === 'string') {
    const [, name] = /^#\{([\w /]+)\}$/.exec(value) ?? [];
    return name === undefined ? fill(value, facts) : known(name, facts);
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, facts));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filled(item, facts)]));
}

function known(name: string, facts: Facts): unknown {
  if (!(name in facts)) throw new Error(`nothing is known of {${name}}`);
  return facts[name];
}
