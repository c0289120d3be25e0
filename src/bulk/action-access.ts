import { permissionAccess } from '../repository/access.ts';
import { type Access, ALLOWED } from '../repository/access-rule.ts';
import type { Actor } from '../repository/actor.ts';
import type { BulkAction } from './bulk-action.ts';

/**
 * Returns the access to an action on items that the actor may change. Derivatives are made again by those who may scan for
 * them; each item has its own check in addition.
 */
export function actionAccess(actor: Actor, action: BulkAction): Access {
  return action === 'derivatives' ? permissionAccess(actor, 'administer site configuration') : ALLOWED;
}
