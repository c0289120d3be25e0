import { nodeAccess } from '../../repository/access.ts';
import type { TableUpload } from '../../transfer/uploads/upload.ts';
import { findUpload } from '../../transfer/uploads/upload-store.ts';
import type { Call } from '../call.ts';

/** Allows imports to callers who may create content of any type, as `repo import` does with the acting user. */
export function allowImports(call: Call): void {
  const { actor, api } = call;
  call.allow(nodeAccess.createAny(actor, api.services.model.nodeTypes.keys()));
}

/** Returns the uploaded table of the caller. Those of others do not exist for them. */
export async function findOwn(call: Call): Promise<TableUpload> {
  const { database } = call.api.services;
  database.refresh();
  const upload = await findUpload(database, call.id('table_import'));
  if (upload === undefined || upload.userId !== call.actor.id) throw call.notFound('table_import');
  return upload;
}
