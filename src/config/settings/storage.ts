import {
  anyText,
  command,
  duration,
  masterKeys,
  oneOf,
  postgresUrl,
  type Setting,
  urlWithScheme,
  wholeNumber,
} from '../parse.ts';

/** 256 cells share the ids below 2^53, which JSON numbers represent exactly. */
export const lastCell = 255;

/** Settings of the database, files and the master keys. */
export const storageSettings = {
  dataDir: {
    variable: 'WAYPOST_DATA_DIR',
    default: '.data',
    meaning: 'folder of the embedded database, files, the master key and the demo credentials',
    parse: anyText,
  },
  uploadLimitMiB: {
    variable: 'WAYPOST_UPLOAD_LIMIT',
    default: '25',
    meaning: 'maximum size of an uploaded file in MiB',
    parse: wholeNumber(1, 10_000),
  },
  storageLimitMiB: {
    variable: 'WAYPOST_STORAGE_LIMIT',
    default: '10240',
    meaning: 'storage for the digital assets of a partner in MiB',
    parse: wholeNumber(1, 1_000_000_000),
  },
  publicUrl: {
    variable: 'WAYPOST_PUBLIC_URL',
    meaning: 'public URL of the API for links to files; default: the IP address and port of the connection',
    parse: urlWithScheme('http', 'https'),
  },
  s3BucketUrl: {
    variable: 'WAYPOST_S3_BUCKET_URL',
    meaning: 'S3-compatible bucket for files, https://bucket.host or https://host/bucket; default: the data folder',
    parse: urlWithScheme('http', 'https'),
  },
  s3Region: {
    variable: 'WAYPOST_S3_REGION',
    default: 'us-east-1',
    meaning: 'region of the bucket',
    parse: anyText,
  },
  s3KeyId: {
    variable: 'WAYPOST_S3_KEY_ID',
    meaning: 'access key id for the bucket',
    parse: anyText,
  },
  s3Secret: {
    variable: 'WAYPOST_S3_SECRET',
    meaning: 'secret access key for the bucket',
    secret: true,
    parse: anyText,
  },
  filesCheck: {
    variable: 'WAYPOST_FILES_CHECK',
    default: 'require',
    meaning:
      'require: a process does not start if the stored files are in another store; adopt: it uses its store, without these files',
    parse: oneOf('require', 'adopt'),
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    meaning:
      'PostgreSQL URL, postgres://user:password@host/database or, for a Unix socket, postgres://user:password@/database?host=/folder; default: an embedded server in the data folder',
    secret: true,
    parse: postgresUrl,
  },
  cell: {
    variable: 'WAYPOST_CELL',
    default: '0',
    meaning:
      'number of this cell, fixed at the first start of its database: the range of its ids and the prefix of its credentials',
    parse: wholeNumber(0, lastCell),
  },
  databaseConnections: {
    variable: 'WAYPOST_DATABASE_CONNECTIONS',
    default: '20',
    meaning: 'maximum database connections of one process',
    parse: wholeNumber(2, 1_000),
  },
  databaseReadUrl: {
    variable: 'DATABASE_READ_URL',
    meaning:
      'PostgreSQL URL of a streaming replica of DATABASE_URL, for dashboards, insights and exports; default: the primary',
    secret: true,
    parse: postgresUrl,
  },
  databaseReadMaxLagMs: {
    variable: 'DATABASE_READ_MAX_LAG',
    default: '10s',
    meaning: 'a replica that lags more than this is not used',
    parse: duration('ms', '2s', '1h'),
  },
  masterKeys: {
    variable: 'WAYPOST_MASTER_KEY',
    meaning:
      'encrypts keys and secrets, 32 bytes in base64; further keys after a comma only decrypt; default: master.key in the data folder, created on the first start',
    secret: true,
    parse: masterKeys,
  },
  masterKeyCommand: {
    variable: 'WAYPOST_MASTER_KEY_COMMAND',
    meaning:
      'program with arguments that prints the master key instead of WAYPOST_MASTER_KEY, one key per line; runs at the start without a shell, up to 30 s',
    parse: command,
  },
} satisfies Record<string, Setting>;
