import { findFailedDerivatives } from '../../repository/content/read/failed-derivatives.ts';
import type { Call } from '../../web/call.ts';

/** A derivative that could not be made, with the reason in a sentence. */
export interface DerivativeFailure {
  readonly label: string;
  readonly message: string | null;
}

/** Returns the derivatives of a node that failed. The caller may change the node. */
export async function findFailures({ api }: Call, nodeId: number): Promise<DerivativeFailure[]> {
  const { database, derivatives } = api.services;
  const failed = await findFailedDerivatives(database, nodeId);
  // The rules may have changed since a job was queued.
  return failed.map(({ action, message }) => ({
    label: derivatives.rules.actions.get(action)?.label || action,
    message,
  }));
}
