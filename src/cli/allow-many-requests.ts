import { environmentForManyRequests, mayHaveManyRequests } from '../base/outgoing-requests.ts';
import { ownCommand } from '../base/own-command.ts';

/**
 * Begins this process anew, as one that may have many requests to other servers under way; it goes on where it already
 * may, and on a system that cannot do that. To be called before anything is open: only the standard streams stay.
 */
export function allowManyRequests(): void {
  if (mayHaveManyRequests()) return;
  const command = ownCommand();
  process.execve?.(command[0], command, environmentForManyRequests());
}
