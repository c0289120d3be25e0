import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createNoticeTask } from '../../../src/repository/asking/access-notices.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const DAY_MS = 86_400_000;
const day = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({});
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

interface Sent {
  readonly to: string;
  readonly text: string;
}

/** Creates the task with a mail server that takes mails while `takes` is true. */
function taskOf(days = 14) {
  const outbox = { sent: [] as Sent[], takes: true };
  const mailer = {
    async send(mail: Sent) {
      if (outbox.takes) outbox.sent.push(mail);
      return outbox.takes;
    },
  };
  const { services } = repository.running;
  const task = createNoticeTask({
    ...{ services, days, siteName: () => 'Site' },
    mail: { mailer, baseUrl: 'https://repository.example.org' },
  });
  const run = () => task.step(new AbortController().signal);
  return { run, outbox };
}

async function item(title: string, rule: object): Promise<number> {
  return (await repository.build.item({ title: [title], access_rule: [{ level: 'closed', ...rule }] })).nid[0].value;
}

describe('the mails about rules that end', () => {
  it('reach each contact once, with the items whose rules end soon', async () => {
    const contact = 'Archive, archive@example.org';
    const first = await item('Ends soon', { until: day(13), contact });
    await item('Ends soon, too', { until: day(2), contact });
    await item('Of another contact', { until: day(2), contact: 'law@example.org' });
    await item('Ends later', { until: day(40), contact });
    await item('Has no address', { until: day(2), contact: 'room 12' });
    const { run, outbox } = taskOf();
    // Two processes at once.
    await Promise.all([run(), run()]);
    await run();
    const texts = Object.groupBy(outbox.sent, ({ to }) => to);
    expect(Object.keys(texts).toSorted()).toEqual(['archive@example.org', 'law@example.org']);
    const ofArchive = texts['archive@example.org']?.map(({ text }) => text).join() ?? '';
    for (const title of ['Ends soon', 'Ends soon, too']) expect(ofArchive.split(`  ${title}\n`).length - 1).toBe(1);
    expect(ofArchive).toContain(`https://repository.example.org/node/${first}`);
    expect(JSON.stringify(outbox.sent)).not.toMatch(/Ends later|Has no address/);
  });

  it('are sent again after a change of the rule', async () => {
    const rule = { until: day(3), contact: 'moved@example.org' };
    const id = await item('Moved', rule);
    const { run, outbox } = taskOf();
    await run();
    await repository.build.change(`/node/${id}`, {
      type: 'islandora_object',
      access_rule: [{ level: 'closed', ...rule, until: day(5) }],
    });
    await run();
    expect(outbox.sent.map(({ text }) => text.includes(day(5)))).toEqual([false, true]);
  });

  it('are sent at the next look if the mail server refuses them', async () => {
    await item('Refused', { until: day(3), contact: 'refusing@example.org' });
    const { run, outbox } = taskOf();
    outbox.takes = false;
    await expect(run()).rejects.toThrow('did not take');
    outbox.takes = true;
    await run();
    expect(outbox.sent.map(({ to }) => to)).toEqual(['refusing@example.org']);
  });

  it('begin the set number of days before the end', async () => {
    await item('In two days', { until: day(2), contact: 'two@example.org' });
    const [early, due] = [taskOf(1), taskOf(2)];
    await early.run();
    await due.run();
    expect([early.outbox.sent.length, due.outbox.sent.length]).toEqual([0, 1]);
  });
});

describe('a server with a mail server', () => {
  it('sends the mails about rules that end', async () => {
    const mails = await startMailServer();
    const server = `smtp://127.0.0.1:${mails.port}`;
    const mail = { server, from: 'repo@example.org', requireTls: false, user: undefined, password: undefined };
    const site = await createTestRepository({ baseUrl: 'https://repository.example.org', mail });
    const rule = { level: 'closed', until: day(3), contact: 'archive@example.org' };
    await site.build.item({ title: ['Embargoed'], access_rule: [rule] });
    await site.restart();
    const [received] = await mails.received(1);
    expect(received?.to).toEqual(['archive@example.org']);
    expect(received?.source).toContain(`${day(3)}  Embargoed`);
    expect(site.failures()).toEqual([]);
    await site.stop();
    await mails.stop();
  });
});
