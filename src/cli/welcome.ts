import type { FirstSteps } from '../server/first-steps.ts';

interface Newcomer {
  /** `http://localhost:8000` */
  readonly address: string;
  /** Undefined if the password came from the environment. */
  readonly generatedPassword: string | undefined;
  readonly firstSteps: FirstSteps | undefined;
}

/** Formats the message of the first start: the credentials of the administrator, and three commands to paste. */
export function welcome({ address, generatedPassword, firstSteps }: Newcomer): string {
  const password =
    generatedPassword === undefined
      ? 'Password:       the value of REPO_ADMIN_PASSWORD'
      : `Password:       ${generatedPassword}   (shown only once; change it with: repo user passwd admin)`;
  const lines = [
    '',
    'A new repository is ready.',
    '',
    `Address:        ${address}`,
    'Administrator:  admin',
    password,
    '',
  ];
  if (firstSteps === undefined) return lines.join('\n');
  const user = generatedPassword === undefined ? '-u "admin:$REPO_ADMIN_PASSWORD"' : `-u admin:${generatedPassword}`;
  const { createNode, upload, read } = firstSteps;
  return [
    ...lines,
    'Create an object, upload an image to it, and read both:',
    '',
    `  curl -sS ${user} -H 'Content-Type: application/json' -d '${createNode.body}' '${address}${createNode.path}'`,
    '',
    `  curl -s ${address}${upload.from} | curl -sSi ${user} -T - -H 'Content-Type: image/png' -H 'Content-Location: ${upload.location}' ${address}${upload.path}`,
    '',
    `  curl -sS ${user} ${read.map((path) => `'${address}${path}'`).join(' ')}`,
    '',
  ].join('\n');
}
