import { describe, expect, it } from 'bun:test';
import { FORM_NAMES } from '../../../../src/processor/config/allowed-options.ts';
import { problemsOf } from './parse-config.ts';

/** Lines 1 and 2 are valid, so that line 3 has the only error. */
const WITH = (line: string) =>
  problemsOf(`allowedMimeTypes: ["*"]\ncmdByMimeType: { default: { cmd: cat } }\n${line}\n`);
/** The error is in line 5, in a command. */
const WITH_COMMAND = (line: string) =>
  problemsOf(`allowedMimeTypes: ["*"]\ncmdByMimeType:\n  image/*:\n    cmd: cat\n    ${line}\n`);
const COMMAND = 'cmdByMimeType."image/*"';

describe('a key of the file', () => {
  it.each([
    ['jwksUri: 5', 'jwksUri must be an http or https address, found 5'],
    ['jwksUri: repo.example', 'jwksUri must be an http or https address, found "repo.example"'],
    ['jwksUri: file:///jwks', 'jwksUri must be an http or https address, found "file:///jwks"'],
    ['jwksUri: "  "', 'jwksUri must be an http or https address, found "  "'],
    ['jwtIssuer: [http://x]', 'jwtIssuer has no effect without jwksUri, the key set to verify tokens by'],
    ['jwtAudience: [x]', 'jwtAudience has no effect without jwksUri, the key set to verify tokens by'],
    ['jwtIssuer: []', 'jwtIssuer must be a list of issuers, found an empty list'],
    ['jwtAudience: x', 'jwtAudience must be a list of audiences, found "x"'],
    ['forwardAuth: "yes"', 'forwardAuth must be true or false, found "yes"'],
    ['forwardAuth:', 'forwardAuth must be true or false, found nothing'],
    ['allowedSources: []', 'allowedSources must be a list of address prefixes, found an empty list'],
    ['allowedSources: [repo]', 'allowedSources.0 must be an http or https address, found "repo"'],
    ['mimeTypeFromDestination: 1', 'mimeTypeFromDestination must be true or false, found 1'],
    ['maxConcurrent: 0', 'maxConcurrent must be a whole number from 1 to 100000, found 0'],
    ['maxConcurrent: 1.5', 'maxConcurrent must be a whole number from 1 to 100000, found 1.5'],
    ['maxQueued: -1', 'maxQueued must be a whole number from 0 to 100000, found -1'],
    ['maxQueued: many', 'maxQueued must be a whole number from 0 to 100000, found "many"'],
    ['maxBodyBytes: 0', 'maxBodyBytes must be a whole number of bytes, found 0'],
    ['maxBodyBytes: 1 GB', 'maxBodyBytes must be a whole number of bytes, found "1 GB"'],
    ['sourceTimeout: 0', 'sourceTimeout must be a number of seconds, more than 0 and at most 86400, found 0'],
    ['sourceTimeout: .inf', 'sourceTimeout must be a number of seconds, more than 0 and at most 86400, found Infinity'],
    ['sourceTimeout: .nan', 'sourceTimeout must be a number of seconds, more than 0 and at most 86400, found NaN'],
    ['maxQueue: 5', 'unknown key maxQueue; did you mean maxQueued?'],
    ['JWKSURI: http://x', 'unknown key JWKSURI; did you mean jwksUri?'],
  ])('is refused: %s', async (line, message) => {
    expect(await WITH(line)).toEqual([`cmds.yaml:3: ${message}`]);
  });

  it('that resembles no known key is reported with all known keys', async () => {
    expect((await WITH('colour: red'))[0]).toMatch(
      /^cmds\.yaml:3: unknown key colour; known here: jwksUri, .*sourceTimeout$/,
    );
  });

  it.each([
    ['[]', 'allowedMimeTypes must be a list of MIME types, families such as image/*, or "*", found an empty list'],
    ['"*"', 'allowedMimeTypes must be a list of MIME types, families such as image/*, or "*", found "*"'],
    [
      '["*/*"]',
      'allowedMimeTypes.0 must be a MIME type, a family such as image/*, or "*", found "*/*"; write "*" for any type',
    ],
    ['[image]', 'allowedMimeTypes.0 must be a MIME type, a family such as image/*, or "*", found "image"'],
    [
      '["text/plain; a=b"]',
      'allowedMimeTypes.0 must be a MIME type, a family such as image/*, or "*", found "text/plain; a=b"',
    ],
  ])('allowedMimeTypes: %s is refused', async (value, message) => {
    expect(await problemsOf(`cmdByMimeType: { default: { cmd: cat } }\nallowedMimeTypes: ${value}\n`)).toEqual([
      `cmds.yaml:2: ${message}`,
    ]);
  });
});

describe('a key of a command', () => {
  it.each([
    ['args: -x', 'args must be a list of arguments, found "-x"'],
    ['args: [-size, 100]', 'args.1 must be text, found 100'],
    ['env: [A]', 'env must be a map of variable names to text, found a list'],
    ['env: { A: 1 }', 'env.A must be text, found 1'],
    ['allowInsecureArgs: 1', 'allowInsecureArgs must be true or false, found 1'],
    ['timeout: -5', 'timeout must be a number of seconds, more than 0 and at most 86400, found -5'],
    ['timeout: 10s', 'timeout must be a number of seconds, more than 0 and at most 86400, found "10s"'],
    ['allowedOptions: [-a]', 'allowedOptions must be a map of options to the forms of their values, found a list'],
    ['allowedOptions: { -a: none }', 'allowedOptions has no effect without %args in args'],
    ['contentType: png', 'contentType must be a MIME type, found "png"'],
    ['contentType: image/*', 'contentType must be a MIME type, found "image/*"'],
    ['maxConcurrent: 0', 'maxConcurrent must be a whole number from 1 to 100000, found 0'],
    ['optional: 1', 'optional must be true or false, found 1'],
    ['maxOutputBytes: 16 MiB', 'maxOutputBytes must be a whole number of bytes, found "16 MiB"'],
    ['maxMemoryBytes: 0', 'maxMemoryBytes must be a whole number of bytes, found 0'],
    ['requires: tesseract', 'requires must be a list of programs, found "tesseract"'],
    ['requires: [cat, 5]', 'requires.1 must be text, found 5'],
    ['requires: [""]', 'requires.0 must be text, found ""'],
    ['requires: [cat, missing-tool]', 'requires.1: there is no program "missing-tool" on this machine; install it'],
  ])('is refused: %s', async (line, message) => {
    expect(await WITH_COMMAND(line)).toEqual([`cmds.yaml:5: ${COMMAND}.${message}`]);
  });

  it.each(['geometry', '"/(/"', '5', '[]', '[5]'])('is refused: the option form %s', async (form) => {
    const line = `args: ["%args"]\n    allowedOptions: { -a: ${form} }`;
    const [problem, ...others] = await WITH_COMMAND(line);
    expect(problem).toStartWith(`cmds.yaml:6: ${COMMAND}.allowedOptions.-a must be ${FORM_NAMES}, found `);
    expect(others).toEqual([]);
  });

  it.each([
    ['arg: []', `unknown key ${COMMAND}.arg; did you mean args?`],
    ['time-out: 5', `unknown key ${COMMAND}.time-out; did you mean timeout?`],
    [
      'args: ["%destination-mime-exd"]',
      '"%destination-mime-exd": unknown variable %destination-mime-exd; did you mean %destination-mime-ext?',
    ],
    ['args: [-x, "a%args"]', '"a%args": %args stands for any number of arguments and must be one of its own'],
  ])('is reported as a likely typo: %s', async (line, message) => {
    expect(await WITH_COMMAND(line)).toEqual([`cmds.yaml:5: ${message}`]);
  });
});

describe('a command', () => {
  it.each([
    ['{ args: [] }', [`${COMMAND}.cmd is missing; it is the name or path of a program`]],
    ['{ cmd: "" }', [`${COMMAND}.cmd must be the name or path of a program, found ""`]],
    ['{ cmd: [cat] }', [`${COMMAND}.cmd must be the name or path of a program, found a list`]],
    [
      '{ cmd: missing-program }',
      [`${COMMAND}.cmd: there is no program "missing-program" on this machine; install it or name its path`],
    ],
    ['cat', [`${COMMAND} must be a command definition: a map with at least cmd, found "cat"`]],
    ['', [`${COMMAND} must be a command definition: a map with at least cmd, found nothing`]],
    ['[cat]', [`${COMMAND} must be a command definition: a map with at least cmd, found a list`]],
    [
      '{ cmdByDestination: {} }',
      [`${COMMAND}.cmdByDestination must be a map of MIME types to commands, found an empty map`],
    ],
    ['{ cmdByDestination: cat }', [`${COMMAND}.cmdByDestination must be a map of MIME types to commands, found "cat"`]],
    [
      '{ cmdByDestination: { default: { cmd: cat } }, cmd: cat }',
      [`unknown key ${COMMAND}.cmd; known here: cmdByDestination`],
    ],
    [
      '{ cmdByDestination: { default: { cmd: missing-program } } }',
      [
        `${COMMAND}.cmdByDestination.default.cmd: there is no program "missing-program" on this machine; install it or name its path`,
      ],
    ],
    [
      '{ cmdByDestination: { png: { cmd: cat } } }',
      [`${COMMAND}.cmdByDestination.png must be a MIME type, a family such as image/*, or "*", found "png"`],
    ],
  ])('is refused: %s', async (definition, messages) => {
    const text = `allowedMimeTypes: ["*"]\ncmdByMimeType:\n  image/*: ${definition}\n`;
    expect(await problemsOf(text)).toEqual(messages.map((message) => `cmds.yaml:3: ${message}`));
  });

  it.each([
    ['{}', 'cmdByMimeType must be a map of MIME types to commands, found an empty map'],
    ['[]', 'cmdByMimeType must be a map of MIME types to commands, found an empty list'],
    ['{ "*": { cmd: cat } }', 'cmdByMimeType."*" must be a MIME type, a family such as image/*, or "default"'],
    [
      '{ image: { cmd: cat } }',
      'cmdByMimeType.image must be a MIME type, a family such as image/*, or "*", found "image"',
    ],
  ])('is refused in the table %s', async (table, message) => {
    expect(await problemsOf(`allowedMimeTypes: ["*"]\ncmdByMimeType: ${table}\n`)).toEqual([`cmds.yaml:2: ${message}`]);
  });

  it('is reported with the line of each missing program', async () => {
    const text = 'cmd: missing-program\n    requires:\n      - cat\n      - 7\n      - missing-tool';
    expect(await problemsOf(`allowedMimeTypes: ["*"]\ncmdByMimeType:\n  image/*:\n    ${text}\n`)).toEqual([
      `cmds.yaml:4: ${COMMAND}.cmd: there is no program "missing-program" on this machine; install it or name its path`,
      `cmds.yaml:7: ${COMMAND}.requires.1 must be text, found 7`,
      `cmds.yaml:8: ${COMMAND}.requires.2: there is no program "missing-tool" on this machine; install it`,
    ]);
  });

  it('is refused twice for one type, regardless of case', async () => {
    const table = 'image/png: { cmd: cat }\n  text/plain: { cmd: cat }\n  Image/PNG: { cmd: cat }';
    expect(await problemsOf(`allowedMimeTypes: ["*"]\ncmdByMimeType:\n  ${table}\n`)).toEqual([
      'cmds.yaml:5: cmdByMimeType."Image/PNG" is a duplicate: types are not case-sensitive',
    ]);
  });

  it('is refused if it is chosen by destination twice', async () => {
    const table = 'cmdByMimeType:\n  image/*:\n    cmdByDestination: { default: { cmd: cat } }';
    const [problem, ...others] = await problemsOf(`allowedMimeTypes: ["*"]\nmimeTypeFromDestination: true\n${table}\n`);
    expect(problem).toStartWith(`cmds.yaml:4: ${COMMAND} is already chosen by destination`);
    expect(others).toEqual([]);
  });
});

describe('a file', () => {
  it.each([
    ['is empty', ''],
    ['holds comments only', '# nothing\n'],
  ])('that %s is reported for its missing keys', async (_, text) => {
    expect((await problemsOf(text)).toSorted()).toEqual([
      'cmds.yaml:1: allowedMimeTypes is missing; it is a list of MIME types, families such as image/*, or "*"',
      'cmds.yaml:1: cmdByMimeType is missing; it is a map of MIME types to commands',
    ]);
  });

  it.each([['- cmd: cat\n'], ['cat\n'], ['5\n']])('that is not a map is refused: %j', async (text) => {
    const problems = await problemsOf(text);
    expect(problems).toEqual([
      expect.stringMatching(/^cmds\.yaml:1: the file must be a map of configuration keys, found /),
    ]);
  });
});
