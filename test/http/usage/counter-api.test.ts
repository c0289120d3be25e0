import { afterAll, beforeAll, describe, expect, it, setSystemTime } from 'bun:test';
import type { TestRepository } from '../../support/test-repository.ts';
import { addNumbers, createUsageSite } from '../../support/usage-site.ts';

const API = '/sushi/r51';
const KEY = 'a key of a consortium';
const CALLER = { customer_id: '0000000000000000', api_key: KEY };
const RECORD = 'https://registry.projectcounter.org/platform/3b2fd0a4-7b4c-4a3a-9d4e-8f1f5a2b6c7d';

let repository: TestRepository;
let [photograph, letter, hidden]: number[] = [];

beforeAll(async () => {
  setSystemTime(new Date('2031-05-20T12:00:00Z'));
  repository = await createUsageSite({ apiKeys: ['another', KEY], registryRecord: RECORD });
  const { build } = repository;
  photograph = await build.node('image', 'A photograph');
  letter = await build.node('document', 'A letter');
  hidden = await build.node('audio', 'A hidden recording', { status: [false] });
  await addNumbers(repository, 'item', photograph, '2031-02-28', [5, 4, 3, 2]);
  await addNumbers(repository, 'item', photograph, '2031-03-01', [10, 8, 6, 4]);
  await addNumbers(repository, 'item', photograph, '2031-03-31', [1, 1, 1, 1]);
  await addNumbers(repository, 'item', letter, '2031-03-02', [7, 6, 0, 0]);
  await addNumbers(repository, 'item', hidden, '2031-04-02', [2, 2, 2, 1]);
  await addNumbers(repository, 'item', photograph, '2031-05-02', [99, 99, 99, 99]);
  await addNumbers(repository, 'repository', 0, '2031-02-28', [5, 4, 3, 2]);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  setSystemTime();
  await repository.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of any schema
type Json = any;

async function ask(path: string, query: Record<string, string> = {}): Promise<{ status: number; body: Json }> {
  const response = await repository.get(`${API}${path}?${new URLSearchParams({ ...CALLER, ...query })}`);
  expect(response.headers.get('content-type')).toBe('application/json');
  return { status: response.status, body: await response.json() };
}

async function report(name: string, query: Record<string, string> = {}): Promise<Json> {
  const { status, body } = await ask(`/reports/${name}`, { begin_date: '2031-02', end_date: '2031-04', ...query });
  expect(status).toBe(200);
  return body;
}

describe('The COUNTER API', () => {
  it('tells its state to all callers', async () => {
    const response = await repository.get(`${API}/status`);
    expect(await response.json()).toEqual([
      expect.objectContaining({ Service_Active: true, Registry_Record: RECORD, Description: expect.any(String) }),
    ]);
  });

  it('attributes all use to the world', async () => {
    const { body } = await ask('/members');
    expect(body).toEqual([
      {
        Customer_ID: '0000000000000000',
        Institution_Name: 'The World',
        Institution_ID: { Proprietary: ['repo:0000000000000000'] },
      },
    ]);
  });

  it('lists its reports with the complete months', async () => {
    const { body } = await ask('/reports');
    const months = { First_Month_Available: '2031-02', Last_Month_Available: '2031-04', Release: '5.1' };
    expect(body).toEqual(
      [
        ['PR', 'Platform Report', '/r51/reports/pr'],
        ['PR_P1', 'Platform Usage', '/r51/reports/pr_p1'],
        ['IR', 'Item Report', '/r51/reports/ir'],
      ].map(([id, name, path]) => expect.objectContaining({ Report_ID: id, Report_Name: name, Path: path, ...months })),
    );
  });

  it.each<readonly [string, string, Record<string, string>, number, number]>([
    ['no key', '/members', { api_key: '' }, 400, 1030],
    ['no customer', '/reports', { customer_id: '' }, 400, 1030],
    ['a wrong key', '/reports/ir', { api_key: 'a key of a' }, 401, 2020],
    ['another customer', '/members', { customer_id: '7' }, 403, 2010],
    ['no dates', '/reports/ir', {}, 400, 3020],
    ['a day that does not exist', '/reports/ir', { begin_date: '2031-02-30', end_date: '2031-03' }, 400, 3020],
    ['an end before the beginning', '/reports/pr', { begin_date: '2031-03', end_date: '2031-02' }, 400, 3020],
    ['the present month', '/reports/pr', { begin_date: '2031-05', end_date: '2031-05' }, 400, 3020],
  ])('answers an exception to %s', async (_, path, query, status, code) => {
    const answer = await ask(path, query);
    expect([answer.status, answer.body.Code]).toEqual([status, code]);
    expect(answer.body.Message).not.toBe('');
  });

  it('answers 404 to a report that it does not have', async () => {
    expect((await ask('/reports/tr_j1', { begin_date: '2031-02', end_date: '2031-03' })).status).toBe(404);
  });

  it('rejects all callers without a key in the settings', async () => {
    const other = await createUsageSite();
    try {
      const response = await other.get(`${API}/members?${new URLSearchParams({ ...CALLER, api_key: 'undefined' })}`);
      expect([response.status, (await response.json()).Code]).toEqual([401, 2020]);
    } finally {
      await other.stop();
    }
  });
});

describe('The item report', () => {
  it('has the metrics of each item by month', async () => {
    const body = await report('ir');
    expect(body.Report_Header).toMatchObject({
      Report_Name: 'Item Report',
      Report_ID: 'IR',
      Release: '5.1',
      Institution_Name: 'The World',
      Report_Filters: { Begin_Date: '2031-02-01', End_Date: '2031-04-30' },
      Created: '2031-05-20T12:00:00.000Z',
      Registry_Record: RECORD,
    });
    expect(body.Report_Header.Exceptions).toBeUndefined();
    expect(body.Report_Items).toHaveLength(1);
    const [first, second, third] = body.Report_Items[0].Items;
    expect(first).toEqual({
      Item: 'A photograph',
      Publisher: '',
      Platform: expect.any(String),
      Item_ID: { Proprietary: `repo:${photograph}`, URI: `${repository.url}/node/${photograph}` },
      Attribute_Performance: [
        {
          Data_Type: 'Image',
          Performance: {
            Total_Item_Investigations: { '2031-02': 5, '2031-03': 11 },
            Total_Item_Requests: { '2031-02': 3, '2031-03': 7 },
            Unique_Item_Investigations: { '2031-02': 4, '2031-03': 9 },
            Unique_Item_Requests: { '2031-02': 2, '2031-03': 5 },
          },
        },
      ],
    });
    expect(second.Attribute_Performance[0]).toEqual({
      Data_Type: 'Other',
      Performance: { Total_Item_Investigations: { '2031-03': 7 }, Unique_Item_Investigations: { '2031-03': 6 } },
    });
    expect(third).toMatchObject({ Item: '', Attribute_Performance: [{ Data_Type: 'Sound' }] });
  });

  it('has the chosen metrics and types', async () => {
    const body = await report('ir', { metric_type: 'Total_Item_Requests', data_type: 'Image|Sound' });
    expect(body.Report_Header.Report_Filters).toEqual({
      Begin_Date: '2031-02-01',
      End_Date: '2031-04-30',
      Data_Type: ['Image', 'Sound'],
      Metric_Type: ['Total_Item_Requests'],
    });
    expect(body.Report_Items[0].Items.map(({ Attribute_Performance: [each] }: Json) => each.Performance)).toEqual([
      { Total_Item_Requests: { '2031-02': 3, '2031-03': 7 } },
      { Total_Item_Requests: { '2031-04': 2 } },
    ]);
  });

  it('names what it ignores', async () => {
    const body = await report('ir', {
      colour: 'red',
      metric_type: 'Total_Item_Requests|No_License',
      attributes_to_show: 'YOP',
      granularity: 'Total',
      include_component_details: 'True',
    });
    expect(body.Report_Header.Exceptions.map(({ Code, Data }: Json) => [Code, Data])).toEqual([
      [3050, 'colour'],
      [3060, 'No_License'],
      [3062, 'YOP|granularity=Total'],
      [3063, undefined],
    ]);
  });

  it('names months that are not ready, and months before the first one', async () => {
    const { Report_Header } = await report('ir', { begin_date: '2031-01', end_date: '2031-06-30' });
    expect(Report_Header.Report_Filters).toEqual({ Begin_Date: '2031-01-01', End_Date: '2031-04-30' });
    expect(Report_Header.Exceptions.map(({ Code, Data }: Json) => [Code, Data])).toEqual([
      [3031, '2031-05 to 2031-06'],
      [3032, 'available: 2031-02 to 2031-04'],
    ]);
  });

  it('is empty without use', async () => {
    const body = await report('ir', { access_method: 'TDM' });
    expect(body.Report_Items).toEqual([]);
    expect(body.Report_Header.Exceptions.map(({ Code }: Json) => Code)).toEqual([3030]);
  });
});

describe('The platform report', () => {
  it('has the metrics of all items by type and month', async () => {
    const body = await report('pr');
    expect(body.Report_Header.Report_Name).toBe('Platform Report');
    expect(body.Report_Items).toHaveLength(1);
    const [{ Attribute_Performance }] = body.Report_Items;
    expect(Attribute_Performance.map(({ Data_Type }: Json) => Data_Type)).toEqual(['Image', 'Other', 'Sound']);
    expect(Attribute_Performance[0].Performance.Total_Item_Investigations).toEqual({ '2031-02': 5, '2031-03': 11 });
  });

  it('has a standard view with requests alone', async () => {
    const body = await report('pr_p1');
    expect(body.Report_Header.Report_Filters).toEqual({
      Begin_Date: '2031-02-01',
      End_Date: '2031-04-30',
      Access_Method: ['Regular'],
      Metric_Type: ['Searches_Platform', 'Total_Item_Requests', 'Unique_Item_Requests', 'Unique_Title_Requests'],
    });
    expect(body.Report_Items[0].Attribute_Performance).toEqual([
      {
        Data_Type: 'Image',
        Performance: {
          Total_Item_Requests: { '2031-02': 3, '2031-03': 7 },
          Unique_Item_Requests: { '2031-02': 2, '2031-03': 5 },
        },
      },
      {
        Data_Type: 'Sound',
        Performance: { Total_Item_Requests: { '2031-04': 2 }, Unique_Item_Requests: { '2031-04': 1 } },
      },
    ]);
  });
});
