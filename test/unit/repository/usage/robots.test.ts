import { describe, expect, it } from 'bun:test';
import { DEFAULT_SERVER_CONFIG } from '../../../../src/config/server-config.ts';
import { parseRobots } from '../../../../src/repository/usage/robots.ts';
import { loadCounterRobots } from '../../../../src/server/open-usage.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';

describe('The list of robots', () => {
  it('finds the robots of COUNTER, and no browser', async () => {
    const isRobot = await loadCounterRobots(DEFAULT_SERVER_CONFIG);
    for (const agent of ['Googlebot/2.1', 'GPTBOT', 'Wget/1.25', 'python-requests/2.32', '', '-', 'Baiduspider'])
      expect([agent, isRobot(agent)]).toEqual([agent, true]);
    for (const agent of [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
    ])
      expect([agent, isRobot(agent)]).toEqual([agent, false]);
  });

  it('may be a file with a pattern in each line', () => {
    const isRobot = parseRobots('^our-checker\\/\n\nlink.?check\n');
    expect(['Our-Checker/1', 'a linkcheck', 'other', 'not our-checker/1'].map(isRobot)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('may be empty', () => {
    expect(parseRobots('[]')('Googlebot')).toBe(false);
  });

  it.each([
    ['[{"pattern": "a("}]', 'the pattern "a(" is no regular expression'],
    ['[{"patern": "a"}]', 'entry 1 of the list has no pattern'],
    ['[', 'the list is no valid JSON'],
  ])('refuses %s', (text, message) => {
    expect(() => parseRobots(text)).toThrow(new RangeError(message));
  });

  it('names a file that cannot be used', async () => {
    const file = `${await emptyFolder()}/robots.json`;
    const usage = { ...DEFAULT_SERVER_CONFIG.usage, robotsFile: file };
    await expect(loadCounterRobots({ usage })).rejects.toThrow(`${file}: ENOENT`);
    await Bun.write(file, '[{"pattern": "("}]');
    await expect(loadCounterRobots({ usage })).rejects.toThrow(
      `${file}: the pattern "(" is no regular expression (setting usage.robots)`,
    );
  });
});
