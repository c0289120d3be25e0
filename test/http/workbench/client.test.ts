import { describe, expect, it } from 'bun:test';
import { readDefinitions } from '../../support/workbench/field-definitions.ts';
import { type MemberKind, readMember } from '../../support/workbench/members.ts';
import { removeMedia } from '../../support/workbench/removal.ts';
import { replay } from '../../support/workbench/sequence.ts';
import { startUp } from '../../support/workbench/start-up.ts';
import { Workbench } from '../../support/workbench/workbench.ts';

/** Runs something against a server of which each answer is given, and says what it was asked. */
async function against<T>(
  answers: (request: Request) => Response,
  work: (workbench: Workbench) => Promise<T>,
): Promise<{ outcome: T; requests: { method: string; headers: Record<string, string> }[] }> {
  const requests: { method: string; headers: Record<string, string> }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      requests.push({ method: request.method, headers: Object.fromEntries(request.headers) });
      return answers(request);
    },
  });
  try {
    const options = { host: `http://127.0.0.1:${server.port}`, username: 'admin', password: 'a:b' };
    return { outcome: await work(new Workbench(options)), requests };
  } finally {
    await server.stop(true);
  }
}

describe('a request of Workbench', () => {
  it('has the headers of `requests`, with credentials unless it fetches a file', async () => {
    const { requests } = await against(
      () => Response.json({}),
      async (workbench) => {
        await workbench.send('GET', '/a?b=c d');
        await workbench.send('GET', 'a', { isAnonymous: true });
        await workbench.send('POST', '/a', { json: { title: 'Ü' } });
      },
    );
    const [first, second, third] = requests.map(({ headers }) => headers);
    expect(first).toEqual({
      host: expect.any(String),
      'user-agent': 'Islandora Workbench',
      'accept-encoding': 'gzip, deflate',
      accept: '*/*',
      connection: 'keep-alive',
      authorization: `Basic ${btoa('admin:a:b')}`,
    });
    expect(second).not.toHaveProperty('authorization');
    expect(third).toMatchObject({ 'content-type': 'application/json', 'content-length': '18' });
  });

  it('is cached only after a GET with status 200', async () => {
    let count = 0;
    const { outcome, requests } = await against(
      ({ url }) => new Response(String(count++), { status: url.endsWith('/there') ? 200 : 404 }),
      async (workbench) => {
        const read = async (method: string, path: string) => (await workbench.send(method, path)).text;
        await read('GET', '/away');
        await read('GET', '/away');
        await read('POST', '/there');
        await read('HEAD', '/there');
        return [await read('GET', '/there'), await read('GET', '/there'), await read('HEAD', '/there')];
      },
    );
    expect(outcome).toEqual(['4', '4', '']);
    expect(requests).toHaveLength(5);
  });

  it('follows a redirect with GET, and treats a foreign address as a path', async () => {
    const { outcome, requests } = await against(
      ({ url }) =>
        url.endsWith('/old')
          ? new Response('', { status: 301, headers: { Location: '/new' } })
          : Response.json({ url }),
      async (workbench) => [
        (await workbench.send('POST', '/old', { json: {} })).json(),
        (await workbench.send('GET', 'http://elsewhere/node/1')).json(),
      ],
    );
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET']);
    expect(outcome).toEqual([
      { url: expect.stringMatching(/:\d+\/new$/) },
      { url: expect.stringMatching(/:\d+\/http:\/\/elsewhere\/node\/1$/) },
    ]);
  });

  it('fails for a persistent error and for invalid JSON', async () => {
    const get = (workbench: Workbench) => workbench.send('POST', '/a');
    await expect(against(() => new Response('', { status: 503 }), get)).rejects.toThrow('sent three more times');
    const { outcome } = await against(() => new Response('<html>'), get);
    expect(() => outcome.json()).toThrow('JSONDecodeError');
  });
});

describe('the response reader of Workbench', () => {
  it.each<[string, unknown, string, MemberKind]>([
    ['an id that is a text', { nid: [{ value: '7' }] }, 'nid[0].value', 'integer'],
    ['an empty array', { path: [] }, 'path[0].alias', 'text or null'],
    ['a missing key', { nid: [] }, 'field_note', 'list'],
    ['an object for a list', { '0': { mid: 1 } }, '[].mid', 'integer'],
    ['a list for an object', { rel_types: [] }, 'rel_types', 'object'],
    ['a number for a boolean', { status: [{ value: 1 }] }, 'status[0].value', 'boolean'],
    ['another value', { bundle: 'image' }, 'bundle', '= file'],
    ['one of many', [{ use: [{ id: 1 }] }, { use: [{ id: '2' }] }], '[].use[].id', 'integer'],
    ['a path for an address', { url: '/sites/default/files/a.png' }, 'url', 'absolute URL'],
  ])('rejects %s', (_, json, path, wanted) => {
    expect(() => readMember(json, path, wanted)).toThrow();
  });

  const config = {
    entity_type: 'node',
    required: false,
    label: 'Contributors',
    field_type: 'typed_relation',
    dependencies: { config: ['taxonomy.vocabulary.person'] },
    settings: { rel_types: { 'relators:aut': 'Author' } },
  };
  const storage = { type: 'typed_relation', cardinality: -1, settings: { target_type: 'taxonomy_term' } };
  const define = (config: object, storage: object) =>
    against(
      ({ url }) => {
        if (url.includes('/field_config/')) return Response.json(config);
        if (url.includes('/field_storage_config/')) return Response.json(storage);
        const names = ['field.field.node.islandora_object.field_linked_agent', 'node.type.islandora_object'];
        return Response.json({ dependencies: { config: names } });
      },
      (workbench) => readDefinitions(workbench, 'node', 'islandora_object'),
    );

  it('accepts valid definitions', async () => {
    const { outcome } = await define(config, storage);
    expect([...outcome]).toMatchObject([
      ['field_linked_agent', { vocabularies: ['person'], relationTypes: ['relators:aut'], maxLength: undefined }],
    ]);
  });

  it.each<[string, object, object]>([
    ['rel_types as a list', { ...config, settings: { rel_types: [] } }, storage],
    ['no dependencies', { ...config, dependencies: {} }, storage],
    ['no settings', config, { ...storage, settings: undefined }],
    ['required as a number', { ...config, required: 0 }, storage],
    ['allowed_values as a list', config, { ...storage, settings: { allowed_values: ['a'] } }],
    ['cardinality as a text', config, { ...storage, cardinality: '-1' }],
    ['a View for a handler', { ...config, settings: { handler_settings: { view: {} } } }, storage],
  ])('rejects a definition with %s', async (_, config, storage) => {
    await expect(define(config, storage)).rejects.toThrow('node.islandora_object.field_linked_agent');
  });

  it.each([
    ['1.1', {}, true],
    ['1.2.1', { useWorkbenchPermissions: true }, true],
    ['1.1', { useWorkbenchPermissions: true }, false],
    ['0.9', {}, false],
    ['v1', {}, false],
  ])('accepts only a matching version: %s with %j', async (version, options, isGood) => {
    const started = against(
      () => Response.json({ integration_module_version: version, core_version: '10.4.3' }),
      (workbench) => replay(new Workbench({ ...workbench.options, ...options }), [startUp()]),
    ).then(
      () => true,
      () => false,
    );
    expect(await started).toBe(isGood);
  });

  it('rejects a media with an empty foreign file field before its own', async () => {
    const media = { mid: [{ value: 1 }], field_media_file: [], field_media_image: [{ target_id: 2 }] };
    const removal = against(
      () => Response.json(media),
      (workbench) => replay(workbench, [removeMedia('mid')], { mid: 1 }),
    );
    await expect(removal).rejects.toThrow('field_media_file[0].target_id: IndexError');
  });
});
