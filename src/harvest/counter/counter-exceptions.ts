/** The exceptions of the COUNTER API that the repository uses, with their messages (release 5.1, appendix D). */
const MESSAGES = {
  1030: 'Insufficient Information to Process Request',
  2010: 'Requestor is Not Authorized to Access Usage for Institution',
  2020: 'APIKey Invalid',
  3020: 'Invalid Date Arguments',
  3030: 'No Usage Available for Requested Dates',
  3031: 'Usage Not Ready for Requested Dates',
  3032: 'Usage No Longer Available for Requested Dates',
  3050: 'Parameter Not Recognized in this Context',
  3060: 'Invalid ReportFilter Value',
  3062: 'Invalid ReportAttribute Value',
  3063: 'Components Not Supported',
} as const;

type Code = keyof typeof MESSAGES;

/** An exception as JSON. */
export interface CounterException {
  readonly Code: Code;
  readonly Message: string;
  readonly Data?: string;
}

/** Creates an exception. `data` names what it is about. */
export function counterException(code: Code, data?: string): CounterException {
  return { Code: code, Message: MESSAGES[code], ...(data !== undefined && { Data: data }) };
}

/** A request that gets an exception instead of a report. */
export class CounterFailure extends Error {
  override readonly name = 'CounterFailure';

  constructor(
    readonly status: 400 | 401 | 403,
    readonly exception: CounterException,
  ) {
    super(exception.Message);
  }
}

/** Creates the failure with a status, a code and the data of its exception. */
export function counterFailure(status: CounterFailure['status'], code: Code, data?: string): CounterFailure {
  return new CounterFailure(status, counterException(code, data));
}
