// Queries.
//
// A query of Vulkan is inside one rendering scope, a guest's continues through scopes and command buffers. So each
// segment of draws of a scope gets a slot for each kind of number that some active query counts, and a query's result
// is the sum over its segments. Blits, clears and uploads have scopes of their own, and are not counted.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostState;
struct HostRecorder;

Problem find_query(const SubContext& context, uint32_t handle, std::shared_ptr<Query>& query);
Problem begin_query(HostRecorder& host, SubContext& context, const virgl::BeginQuery& command);
/// A query that is destroyed no longer counts.
void destroy_query(HostRecorder& host, SubContext& context, const Query& query);
Problem end_query(HostRecorder& host, SubContext& context, const virgl::EndQuery& command);
/// The result goes to the query's shared memory when the device is done.
Problem get_query_result(HostState& host, SubContext& context, const virgl::GetQueryResult& command);
Problem get_query_result(HostState& host, SubContext& context, const virgl::GetQueryResultQbo& command);
/// The result of a run that is done.
uint64_t result_of(const QueryRun& run);

/// Whether a query counts generated or captured primitives.
bool counts_primitives(virgl::QueryType type);
/// Before each draw inside the scope: begins to count the numbers of active queries. `primitives`: of all; else but for
/// those that count primitives.
void count_draws(HostRecorder& host, const SubContext& context, bool primitives);
/// Around a dispatch, outside of scopes.
void begin_counting_dispatch(HostRecorder& host, const SubContext& context);
void end_counting_dispatch(HostRecorder& host, const SubContext& context);

}  // namespace tgsi2spv::host
