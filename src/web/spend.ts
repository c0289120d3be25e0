import { ServiceError } from '../base/errors.ts';
import { robotOf } from '../http/known-robots.ts';
import { clientAddress, isShared, networkOf } from '../http/trusted-proxies.ts';
import type { Expense, WorkKind } from '../http/work-budget.ts';
import type { Call } from './call.ts';

/**
 * Does expensive work for a call, if the budgets of its network and of all strangers allow it; else throws
 * `too-many-requests` with `Retry-After`. Signed-in callers, tokens and verified robots have no budget. The work reports its
 * time to the expense.
 */
export async function spend<T>(call: Call, kind: WorkKind, work: (expense: Expense) => Promise<T>): Promise<T> {
  const expense = await admit(call, kind);
  call.expense = expense;
  try {
    return await work(expense);
  } finally {
    expense.end();
  }
}

/** `spend` for work whose time is that until it is done. */
export function spendTime<T>(call: Call, kind: WorkKind, work: () => Promise<T>): Promise<T> {
  return spend(call, kind, async (expense) => {
    const begun = performance.now();
    try {
      return await work();
    } finally {
      expense.add(performance.now() - begun);
    }
  });
}

async function admit(call: Call, kind: WorkKind): Promise<Expense> {
  const { api, request, peer } = call;
  const { workBudget, workFigures } = api;
  if (call.identity.authentication !== undefined) return workFigures.exempt(kind);
  const address = clientAddress(request.headers, peer, api.proxies);
  const client = { network: isShared(address) ? undefined : networkOf(address) };
  const admitted = workBudget.admit(kind, client);
  if (!('limit' in admitted)) return workFigures.admitted(kind, admitted);
  const robot = robotOf(api.knownRobots, request.headers.get('user-agent'));
  if (robot !== undefined && address !== undefined && (await api.robotVerifier.verify(robot, address)))
    return workFigures.exempt(kind);
  workFigures.refused(kind, admitted.limit);
  throw new ServiceError('too-many-requests', MESSAGES[admitted.limit], {
    headers: { 'Retry-After': String(admitted.retryAfterSeconds) },
  });
}

const MESSAGES = {
  network: 'Your network has sent too many expensive requests. Try again later.',
  total: 'Too many expensive requests arrive at present. Try again later.',
};
