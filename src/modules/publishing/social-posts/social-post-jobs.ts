import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import { processPost } from './process-post.ts';
import { listDuePosts } from './social-post-store.ts';
import { postJob } from './write-post.ts';

export const socialPostJobs: readonly JobImplementation[] = [
  postJob.implement(({ postId }, context) => processPost(postId, context)),
  // Safety net: enqueues due posts whose own job is missing.
  defineJob('social-posts.due', { schedule: '* * * * *' }).implement(async (_, { database }) => {
    const due = await listDuePosts(database.pool);
    await postJob.enqueueMany(
      database.pool,
      due.map((postId) => ({ postId })),
    );
  }),
];
