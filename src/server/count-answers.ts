import type { RequestRecord } from '../http/request-log.ts';
import type { ApiServices } from '../web/api-services.ts';
import { countUse } from '../web/count-use.ts';
import { createTrafficCount } from './count-traffic.ts';

/** Returns the function that counts each answer: as traffic, and as a use of content. */
export function countAnswers(api: ApiServices): (record: RequestRecord, status: number) => void {
  const countTraffic = createTrafficCount(api);
  return (record, status) => {
    countTraffic(record, status);
    countUse(api, record, status);
  };
}
