import { readFile } from 'node:fs/promises';
import counterRobots from '../../config/counter-robots.json' with { type: 'json' };
import { ConfigError } from '../base/yaml-file.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import { USAGE_SETTINGS } from '../config/usage-settings.ts';
import type { BaseServices } from '../repository/base-services.ts';
import { type IsRobot, parseRobots } from '../repository/usage/robots.ts';
import type { UsageServices } from '../repository/usage/usage-services.ts';
import { UsageStore } from '../repository/usage/usage-task.ts';
import { UseCounter } from '../repository/usage/use-counter.ts';
import { createWaker } from '../runs/waker.ts';

/** Reads the list of robots of a configuration. Throws ConfigError for a file that is missing or no such list. */
export async function loadCounterRobots({ usage: { robotsFile } }: Pick<RepositoryConfig, 'usage'>): Promise<IsRobot> {
  if (robotsFile === undefined) return parseRobots(JSON.stringify(counterRobots));
  try {
    return parseRobots(await readFile(robotsFile, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(robotsFile, [{ message: `${reason} (setting ${USAGE_SETTINGS.robotsFile.key})` }]);
  }
}

/** Creates the usage statistics of a server. */
export function openUsage(
  services: BaseServices,
  { usage: { counts, isShown, apiKeys, registryRecord } }: Pick<RepositoryConfig, 'usage'>,
  isRobot: IsRobot,
): UsageServices {
  const waker = createWaker();
  const shared = { waker, isShown, apiKeys, registryRecord };
  if (!counts) return { counter: undefined, store: undefined, ...shared };
  const counter = new UseCounter(isRobot, services.now);
  counter.onMany(() => waker.wake());
  return { counter, store: new UsageStore(services, counter), ...shared };
}
