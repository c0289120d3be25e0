import { describe, expect, it } from 'bun:test';
import { allCommands } from '../../../../src/processor/config/commands.ts';
import { missingPrograms, withFoundPrograms } from '../../../../src/processor/config/programs.ts';
import { parseConfig, problemsOf } from './parse-config.ts';

const SMALLEST = 'allowedMimeTypes: ["*"]\ncmdByMimeType:\n  default: { cmd: cat }\n';

const EVERY_KEY = `
jwksUri: https://repo.example/jwks.json
jwtIssuer: [https://repo.example]
jwtAudience: [processor, other]
forwardAuth: false
allowedMimeTypes: [Image/*, application/pdf]
allowedSources: ["https://Repo.Example/files"]
maxConcurrent: 3
maxQueued: 0
maxBodyBytes: 5000000000
sourceTimeout: 2.5
cmdByMimeType:
  image/*:
    cmd: convert
    args: ["-", "%args", "%destination-mime-ext:-"]
    env: { MAGICK_THREAD_LIMIT: "1" }
    allowInsecureArgs: true
    timeout: 30
    maxOutputBytes: 16777216
    maxMemoryBytes: 1073741824
    contentType: image/png
    maxConcurrent: 2
  Application/PDF:
    cmdByDestination:
      text/plain: { cmd: pdftotext, args: ["-", "-"] }
      default: { cmd: cat }
`;

describe('a configuration', () => {
  it('has defaults for all optional keys', async () => {
    const config = await parseConfig(SMALLEST);
    expect(config).toMatchObject({
      jwksUri: undefined,
      jwtIssuer: undefined,
      jwtAudience: undefined,
      forwardAuth: true,
      allowedMimeTypes: ['*'],
      allowedSources: undefined,
      mimeTypeFromDestination: false,
      maxQueued: 100,
      maxBodyBytes: undefined,
      sourceTimeoutSeconds: 30,
    });
    expect(config.maxConcurrent % 2).toBe(0);
    expect(config.maxConcurrent).toBeGreaterThan(0);
    expect(config.commands.get('default')).toEqual({
      key: 'default',
      cmd: 'cat',
      program: '/bin/cat',
      needs: ['cat'],
      missing: [],
      args: [],
      env: {},
      allowInsecureArgs: false,
      allowedOptions: undefined,
      timeoutSeconds: 600,
      maxOutputBytes: undefined,
      maxMemoryBytes: undefined,
      memoryLimiter: undefined,
      contentType: undefined,
      maxConcurrent: undefined,
    });
  });

  it('accepts every key', async () => {
    const config = await parseConfig(EVERY_KEY);
    expect(config).toMatchObject({
      jwtIssuer: ['https://repo.example'],
      jwtAudience: ['processor', 'other'],
      forwardAuth: false,
      allowedMimeTypes: ['image/*', 'application/pdf'],
      allowedSources: [new URL('https://repo.example/files')],
      maxConcurrent: 3,
      maxQueued: 0,
      maxBodyBytes: 5_000_000_000,
      sourceTimeoutSeconds: 2.5,
    });
    expect(config.jwksUri?.href).toBe('https://repo.example/jwks.json');
    expect(config.commands.get('image/*')).toEqual({
      key: '"image/*"',
      cmd: 'convert',
      program: '/bin/convert',
      needs: ['convert'],
      missing: [],
      args: ['-', '%args', '%destination-mime-ext:-'],
      env: { MAGICK_THREAD_LIMIT: '1' },
      allowInsecureArgs: true,
      allowedOptions: undefined,
      timeoutSeconds: 30,
      maxOutputBytes: 16_777_216,
      maxMemoryBytes: 1_073_741_824,
      memoryLimiter: '/bin/prlimit',
      contentType: 'image/png',
      maxConcurrent: 2,
    });
  });

  it('may choose commands by source and then by destination', async () => {
    const entry = (await parseConfig(EVERY_KEY)).commands.get('application/pdf');
    expect(entry).toHaveProperty('byDestination');
    const table = entry && 'byDestination' in entry ? entry.byDestination : new Map();
    expect([...table.keys()]).toEqual(['text/plain', 'default']);
    expect(table.get('text/plain')).toMatchObject({ cmd: 'pdftotext', args: ['-', '-'] });
  });

  it('lists every command once with a unique key', async () => {
    const commands = allCommands(await parseConfig(EVERY_KEY));
    expect(commands.map(({ cmd }) => cmd)).toEqual(['convert', 'pdftotext', 'cat']);
    expect(new Set(commands.map(({ key }) => key)).size).toBe(3);
  });

  it('may list further programs that a command requires', async () => {
    const requires = 'requires: [tr, sort]';
    const [command] = allCommands(await parseConfig(SMALLEST.replace('cmd: cat', `cmd: cat, ${requires}`)));
    expect(command).toMatchObject({ cmd: 'cat', program: '/bin/cat', missing: [] });
  });

  it('starts without the programs of optional commands only', async () => {
    const optional = SMALLEST.replace('cmd: cat', 'cmd: missing-program, requires: [missing-tool], optional: true');
    expect(missingPrograms(await parseConfig(optional))).toEqual(['missing-program', 'missing-tool']);
    await expect(parseConfig(optional.replace('true', 'false'))).rejects.toThrow('no program "missing-program"');
  });

  it('lists the missing programs of each command if programs may be missing', async () => {
    const text = `
allowedMimeTypes: ["*"]
cmdByMimeType:
  text/plain: { cmd: missing-program, requires: [tr, missing-program, missing-tool] }
  text/csv: { cmd: sh, requires: [missing-tool] }
  default:
    cmdByDestination:
      text/plain: { cmd: cat }
      text/csv: { cmd: missing-program }
`;
    const config = await parseConfig(text, { mayLack: true });
    expect(allCommands(config).map(({ missing }) => missing)).toEqual([
      ['missing-program', 'missing-tool'],
      ['missing-tool'],
      [],
      ['missing-program'],
    ]);
    expect(missingPrograms(config)).toEqual(['missing-program', 'missing-tool']);
    const later = withFoundPrograms(config, (name) => (name === 'missing-tool' ? null : `/opt/${name}`));
    expect(allCommands(later).map(({ program, missing }) => [program, missing])).toEqual([
      ['/opt/missing-program', ['missing-tool']],
      ['/opt/sh', ['missing-tool']],
      ['/opt/cat', []],
      ['/opt/missing-program', []],
    ]);
    expect(later).toEqual({ ...config, commands: later.commands });
  });

  it('may choose commands by destination only', async () => {
    expect(await parseConfig(`${SMALLEST}mimeTypeFromDestination: true\n`)).toMatchObject({
      mimeTypeFromDestination: true,
    });
  });

  it('reads variables from the environment', async () => {
    const text = `${SMALLEST}sourceTimeout: \${SECONDS}\njwksUri: http://\${HOST}/jwks\n`;
    const args = 'args: ["${SECONDS}", "$${HOST}", "pre-${HOST}", "${TRICKY}"]';
    const config = await parseConfig(text.replace('cmd: cat', () => `cmd: cat, ${args}`));
    expect(config).toMatchObject({ sourceTimeoutSeconds: 45 });
    expect(config.jwksUri?.href).toBe('http://repo.example/jwks');
    expect(allCommands(config)[0]?.args).toEqual(['45', '${HOST}', 'pre-repo.example', '"], cmd: evil']);
  });

  it.each(['jwksUri: ""', "jwksUri: ''", 'jwksUri:', 'jwksUri: null'])('has no key set for: %s', async (line) => {
    expect((await parseConfig(`${SMALLEST}${line}\n`)).jwksUri).toBeUndefined();
  });

  it('warns once of a variable without braces, and keeps it', async () => {
    const text = SMALLEST.replace('cmd: cat', () => 'cmd: cat, args: [$SERVICE_URI, "to=$SERVICE_URI"]');
    const config = await parseConfig(text);
    expect(allCommands(config)[0]?.args).toEqual(['$SERVICE_URI', 'to=$SERVICE_URI']);
    expect(config.warnings).toEqual([
      expect.stringMatching(
        /cmds\.yaml:3: \$SERVICE_URI stays as it is; write \$\{SERVICE_URI\} for its value from the environment$/,
      ),
    ]);
  });

  it('is refused with an unset variable', async () => {
    expect(await problemsOf(`${SMALLEST}jwksUri: \${NOT_SET}\n`)).toEqual([
      'cmds.yaml:4: the environment variable NOT_SET is not set',
    ]);
  });
});

it('all problems of a file are reported at once, in the order of its lines', async () => {
  const text = `jwksUrl: http://x/
allowedMimeTypes: [image/*, "*/*"]
maxQueued: -1
cmdByMimeType:
  image/png:
    cmd: missing-program
    args: ["%argz", x%args]
    timeout: soon
  text/plain:
    cmdByDestination:
      default: { arg: [] }
`;
  const problems = await problemsOf(text);
  expect(problems.map((problem) => problem.split(':')[1])).toEqual(['1', '2', '3', '6', '7', '7', '8', '11', '11']);
});

it.each([
  ['a short secret', '${SECRET}'],
  ['a long secret', '${LONG_SECRET}'],
  ['a secret inside text', 'x-${SECRET}-y'],
])('errors hide %s from the environment', async (_, value) => {
  for (const line of [`jwksUri: ${value}`, `maxQueued: ${value}`, `allowedSources: ["${value}"]`]) {
    const problems = await problemsOf(`${SMALLEST}${line}\n`);
    expect(problems).toHaveLength(1);
    expect(problems[0]).not.toMatch(/hunter2/);
  }
});

it('all problems of a list are reported at once', async () => {
  const text = SMALLEST.replace('["*"]', '\n  - 5\n  - no type\n');
  expect((await problemsOf(text)).map((problem) => problem.split(':')[1])).toEqual(['2', '3']);
});
