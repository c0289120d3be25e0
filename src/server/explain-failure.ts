import { CommandError, ServiceError } from '../base/errors.ts';
import { ConfigError } from '../base/yaml-file.ts';
import { isDamage } from '../database/damage.ts';
import { UnusableDatabaseError } from '../database/errors.ts';
import { NewerDatabaseError } from '../database/migrate.ts';
import { ChangedLibraryError, SharedFolderError, UnloadableLibraryError } from '../database/native-library.ts';
import { ModelConflictError } from '../repository/setup/adopt-model.ts';
import { PackageError } from '../transfer/files/package.ts';
import { BackupError } from '../upkeep/backup/errors.ts';
import { ListenError } from './listen.ts';
import { helpForDamage } from './open-database.ts';
import { CertificateError } from './tls/certificate.ts';

const EXPLAINED = [
  BackupError,
  CertificateError,
  CommandError,
  ConfigError,
  ListenError,
  ModelConflictError,
  NewerDatabaseError,
  PackageError,
  UnusableDatabaseError,
];

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its disk is write-protected',
  ENOSPC: 'there is no room left on its disk',
  EDQUOT: 'there is no room left for this user',
  ENOTDIR: 'a part of its path is a file and not a folder',
  EEXIST: 'there is a file where a folder must be',
  ENOENT: 'no such file or folder',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its symbolic links form a loop',
};

/**
 * Explains a failure of a start or of a command to its user. Returns undefined for an unexpected one, which is an error of
 * the program.
 */
export function explainFailure(error: unknown): string | undefined {
  if (isDamage(error)) return `it is damaged (${error.message}). ${helpForDamage(error)}.`;
  if (EXPLAINED.some((known) => error instanceof known)) return (error as Error).message;
  if (error instanceof ServiceError) {
    const deeper = error.cause === undefined ? undefined : explainFailure(error.cause);
    return deeper === undefined ? error.publicMessage : `${error.publicMessage.replace(/\.$/, '')}: ${deeper}`;
  }
  if (error instanceof UnloadableLibraryError) return explainUnloadable(error);
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : SYSTEM_ERRORS[code];
  if (reason !== undefined && path !== undefined) return `${path} cannot be used: ${reason}.`;
  return undefined;
}

/** Explains why the database engine runs in none of its folders, and what to do. */
function explainUnloadable({ refused }: UnloadableLibraryError): string {
  const reasons = refused.map(({ folder, cause }) => `not in ${folder}, since ${reasonOfFolder(cause)}`);
  return (
    `The database engine cannot be unpacked and loaded: ${reasons.join('; ')}. ` +
    'Set TMPDIR to a folder that this user may write to, on a disk with 10 MB of free space that is not mounted noexec.'
  );
}

function reasonOfFolder(cause: unknown): string {
  if (cause instanceof ChangedLibraryError) return 'the file there differs from the one that was written';
  if (cause instanceof SharedFolderError) return 'it belongs to another user, or others may write to it';
  const { code = '', message } = cause as NodeJS.ErrnoException;
  if (code === 'ERR_DLOPEN_FAILED')
    return `the system does not run it there: is its disk mounted noexec? (${message.replace(/^.*\.node: /, '')})`;
  return SYSTEM_ERRORS[code] ?? message;
}
