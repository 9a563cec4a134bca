/** The database cannot be used as it is; the message tells the operator what to do. */
export class DatabaseProblem extends Error {}
