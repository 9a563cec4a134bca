import Type, { type Static } from 'typebox';
import type { CallerUser, Feature } from '../../../http/access.ts';
import { defineJob } from '../../../jobs/job.ts';
import { type Task, taskProgressResponse, taskResponseFields } from '../../../jobs/tasks/task.ts';
import { taskDefinition } from '../../../jobs/tasks/task-store.ts';
import type { Actor } from '../../accounts/index.ts';
import type { FilePlace } from './csv-records.ts';

export const importType = 'LOCATION_IMPORT';
export const importJob = defineJob('location-imports.run', taskDefinition);

/** What an import needs to know to go on, whichever process does it. */
export interface ImportParameters {
  path: string;
  fileName: string;
  sizeBytes: number;
  delimiter: string;
  header: string[];
  firstRow: FilePlace;
  businessId?: number;
  /** Rows are checked and not written. */
  dryRun?: true;
  warnings: string[];
  partnerIdentifier: string;
  /** Who uploaded the file, with what they could reach then; absent when it was a private key. */
  user?: Omit<CallerUser, 'features' | 'locationFields'> & { features: Feature[]; locationFields: string[] | null };
  /** As the version of the API that it was uploaded with has it. */
  createsNoLabels?: true;
}

/** What came of the rows so far. */
export interface ImportCounts {
  created: number;
  updated: number;
  unchanged: number;
}

export const parametersOf = (task: Task) => task.parameters as unknown as ImportParameters;

const countsOf = ({ result }: Task): ImportCounts => ({ created: 0, updated: 0, unchanged: 0, ...result });

export const uploaderOf = ({
  features,
  locationFields,
  ...user
}: CallerUser): NonNullable<ImportParameters['user']> => ({
  ...user,
  features: [...features],
  locationFields: locationFields && [...locationFields],
});

/** Rows are written in the name of whoever uploaded them. */
export function importActor(task: Task): Actor {
  const { partnerIdentifier, user, createsNoLabels } = parametersOf(task);
  return {
    partner: { id: task.partnerId, identifier: partnerIdentifier },
    by: task.createdBy,
    // A file has no ids of services.
    findsServicesByName: true,
    ...(user && {
      user: {
        ...user,
        features: new Set(user.features),
        locationFields: user.locationFields && new Set(user.locationFields),
      },
    }),
    ...(createsNoLabels && { createsNoLabels }),
  };
}

export const LocationImportAnswer = Type.Object({
  ...taskResponseFields,
  fileName: Type.String(),
  dryRun: Type.Boolean({ description: 'Whether rows are only checked: the counts say what an import would do' }),
  sizeBytes: Type.Integer(),
  rows: Type.Integer({ description: 'How many rows the file has' }),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer({ description: 'Rows that say what is there already' }),
  failed: Type.Integer({ description: 'Rows with errors; GET /api/location-imports/{id}/errors has them' }),
  warnings: Type.Array(Type.String()),
});

export function locationImportAnswer(task: Task): Static<typeof LocationImportAnswer> {
  const { fileName, sizeBytes, dryRun = false, warnings } = parametersOf(task);
  return {
    ...taskProgressResponse(task),
    fileName,
    dryRun,
    sizeBytes,
    rows: task.total ?? 0,
    ...countsOf(task),
    failed: task.failed,
    warnings,
  };
}

/** One thing that is wrong with a row. */
export interface ImportError {
  line: number;
  field: string;
  message: string;
  identifier: string | null;
  /** The row as it was given. */
  row: string;
}

export const ImportErrorAnswer = Type.Object({
  line: Type.Integer({ description: 'Line of the file on which the row begins' }),
  field: Type.String({ description: 'The column, or row when it is about the row as a whole' }),
  message: Type.String(),
  identifier: Type.Optional(Type.String()),
  row: Type.String({ description: 'The row as it was given' }),
});

export const importErrorAnswer = ({ identifier, ...error }: ImportError): Static<typeof ImportErrorAnswer> => ({
  line: error.line,
  field: error.field,
  message: error.message,
  ...(identifier !== null && { identifier }),
  row: error.row,
});
