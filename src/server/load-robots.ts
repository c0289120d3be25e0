import robots from '../../config/robots.yaml' with { type: 'text' };
import { coreCount, readEnv } from '../base/env.ts';
import { embeddedYaml, readYamlFile, type YamlFile } from '../base/yaml-file.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import { type KnownRobot, readKnownRobots } from '../http/known-robots.ts';
import type { BudgetRates } from '../http/work-budget.ts';

/** The default part of each core that strangers may take for expensive work, in milliseconds a second. */
const TOTAL_PER_CORE = 100;

/** Returns the rates of the budgets of a process, of which several may share the work of a machine. */
export function budgetRates(
  { robots: { networkBudget, totalBudget } }: Pick<RepositoryConfig, 'robots'>,
  workers = 1,
): BudgetRates {
  const total = totalBudget ?? TOTAL_PER_CORE * coreCount();
  return { network: networkBudget, total: total / workers };
}

/** Returns the default list, which is part of the program. */
export function defaultRobotsFile(): YamlFile {
  return embeddedYaml('built-in robots.yaml', robots);
}

/** Loads the list of robots of a configuration. Throws ConfigError for an invalid one. */
export async function loadRobots({
  robots: { listFile },
}: Pick<RepositoryConfig, 'robots'>): Promise<readonly KnownRobot[]> {
  return readKnownRobots(
    defaultRobotsFile(),
    listFile === undefined ? undefined : await readYamlFile(listFile, readEnv),
  );
}
