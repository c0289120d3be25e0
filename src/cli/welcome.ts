import { ConfigError } from '../base/yaml-file.ts';
import { ADMINISTRATOR_ID } from '../repository/actor.ts';
import type { FirstSteps } from '../server/first-steps.ts';
import { type ShownPassword, showPassword } from './show-password.ts';

interface Newcomer {
  /** `http://localhost:8000` */
  readonly address: string;
  /** Undefined if the password came from the environment. */
  readonly generatedPassword: string | undefined;
  readonly firstSteps: FirstSteps | undefined;
}

const CHANGE = 'repo user passwd admin';

/**
 * Returns the message of the first start: the administrator, the address for a browser, and three commands to paste, which contain no password. A generated
 * password is part of it only on a terminal.
 */
export async function welcome(newcomer: Newcomer, dataFolder: string): Promise<string> {
  const { generatedPassword: password } = newcomer;
  if (password === undefined)
    return format(newcomer, 'the value of REPO_ADMIN_PASSWORD', '-u "admin:$REPO_ADMIN_PASSWORD"');
  let shown: ShownPassword;
  try {
    shown = await showPassword({ user: ADMINISTRATOR_ID, password }, dataFolder);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // The server runs, and only the password is lost.
    return format(newcomer, `lost, set one with: ${CHANGE} (${error.message})`, '-u admin');
  }
  const { text, file } = shown;
  const user = file === undefined ? '-u admin' : `-u "admin:$(cat ${file})"`;
  return format(newcomer, `${text}; change it with: ${CHANGE}`, user);
}

function format({ address, firstSteps }: Newcomer, password: string, user: string): string {
  const lines = [
    '',
    'A new repository is ready.',
    '',
    `Address:        ${address}`,
    'Administrator:  admin',
    `Password:       ${password}`,
    '',
  ];
  if (firstSteps === undefined) return lines.join('\n');
  const { createNode, upload, read } = firstSteps;
  return [
    ...lines,
    `Open ${address}/user/login in a browser and sign in: the first page leads to a collection, files, and name and logo.`,
    '',
    `Or with curl: create an object, upload an image to it, and read both${user === '-u admin' ? ' (curl asks for the password)' : ''}:`,
    '',
    `  curl -sS ${user} -H 'Content-Type: application/json' -d '${createNode.body}' '${address}${createNode.path}'`,
    '',
    `  curl -s ${address}${upload.from} | curl -sSi ${user} -T - -H 'Content-Type: image/png' -H 'Content-Location: ${upload.location}' ${address}${upload.path}`,
    '',
    `  curl -sS ${user} ${read.map((path) => `'${address}${path}'`).join(' ')}`,
    '',
  ].join('\n');
}
