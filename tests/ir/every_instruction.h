// A module that keeps every rule and contains every instruction.
#pragma once

namespace tgsi2spv::ir {

inline constexpr const char* kEveryInstruction = R"(
entry Fragment f1 depth_replacing depth_layout=greater float_controls
$0 = StorageBuffer u32 index=3 coherent name="BUFFER[3]"
$1 = CombinedImage void index=1 layers
$2 = SampledImage void array0=4 index=2
$3 = Sampler void array0=2 index=5
$4 = StorageImage void index=6 sampled=u32 signed format=33 name="a \x22quoted\x22 name\x3b"
$5 = Input f32x4 array0=3 location=2 interpolation=Flat at=Centroid semantic=5 semantic_index=9
$6 = Output f32x4 location=1 dual_source=1
$7 = Local f32x4 array0=8 function=1 zero_initialised
$8 = Private u32
$9 = ConstantBuffer f32x4 array1=16 index=0 storage
$10 = CombinedImage void index=9 depth
$11 = SampledImage void index=12 ms
#0 = image $1
#1 = image $2 sampler $3 grad const_offset non_uniform
#2 = image $2 sampler $3 const_offsets sparse component=2
#3 = image $11 sample
#4 = image $4
#5 = image $1 lod
#6 = image $1 offset component=1
#7 = image $10 dref bias min_lod
#8 = image $11
function f0 "helper" (f32, u32x2) -> f32 {
bentry:
  %f = Param f32 0
  %u = Param u32x2 1
  Return %f
}
function f1 "main" () -> void {
bentry:
  %zero = Load u32 $0[u32(7)]
  %v = Load f32x4 $9[u32(3)]
  %one = Load f32 $9[u32(3), u32(2)] !nonuniform
  %undef = Undef f32x2
  %u = Bitcast u32x4 %v
  %pair = Compose u32x2 %zero.x, %u.w
  %xy = Compose f32x2 %v.x, %v.y
  %wide = Bitcast u64 %pair
  %double = Bitcast f64 %pair
  %n0 = FAdd f32x4 %v, f32x4(1, -0, 0x7fc00001, 1.1754944e-38) !precise
  %n1 = FSub f32x4 %v, %n0
  %n2 = FMul f64 %double, f64(0.1)
  %n3 = FDiv f32x4 %v, %n0
  %n4 = FNegate f32x4 %v
  %n5 = FAbs f32x4 %v
  %n6 = Fma f32x4 %v, %n0, %n1 !precise
  %n7 = FMin f32x4 %v, %n0
  %n8 = FMax f32x4 %v, %n0
  %n9 = FClamp f32 %one, f32(0), f32(1)
  %n10 = FFloor f32 %one
  %n11 = FCeil f32 %one
  %n12 = FTrunc f32 %one
  %n13 = FRoundEven f32 %one
  %n14 = FFract f32 %one
  %n15 = FSqrt f32 %one
  %n16 = FRsqrt f32 %one
  %n17 = FExp2 f32 %one
  %n18 = FLog2 f32 %one
  %n19 = FSin f32 %one
  %n20 = FCos f32 %one
  %n21 = FPow f32 %one, %n20
  %n22 = FDot f32 %v, %n0
  %c0 = FOEq boolx4 %v, %n0
  %c1 = FUNe boolx4 %v, %n0
  %c2 = FOLt bool %one, %n9
  %c3 = FOLe bool %one, %n9
  %c4 = FOGt bool %one, %n9
  %c5 = FOGe bool %one, %n9
  %c6 = IsNan bool %one
  %s0 = Select f32x4 %c0, %v, %n0
  %s1 = Select f32x4 %c2, %v, %n0
  %i0 = IAdd u32x4 %u, u32x4(1, 2, 3, 4294967295)
  %i1 = ISub u32x4 %u, %i0
  %i2 = IMul u64 %wide, u64(18446744073709551615)
  %i3 = UDiv u32 %zero, u32(3)
  %i4 = UMod u32 %zero, u32(3)
  %i5 = SDiv u32 %zero, u32(3)
  %i7 = INegate u32 %zero
  %i8 = SAbs u32 %zero
  %i9 = SSign u32 %zero
  %i10 = SMin u32 %zero, spec(4)u32(3)
  %i11 = SMax u32 %zero, u32(3)
  %i12 = UMin u32 %zero, u32(3)
  %i13 = UMax u32 %zero, u32(3)
  %i14 = And u32 %zero, u32(3)
  %i15 = Or u32 %zero, u32(3)
  %i16 = Xor u32 %zero, u32(3)
  %i17 = Not u32 %zero
  %i18 = Shl u32 %zero, u32(3)
  %i19 = LShr u32 %zero, u32(3)
  %i20 = AShr u64 %wide, u32(3)
  %i21 = BitInsert u32x4 %u, %i0, %zero, u32(3)
  %i22 = SBitExtract u32 %zero, u32(3), u32(4)
  %i23 = UBitExtract u32 %zero, u32(3), u32(4)
  %i24 = BitReverse u32 %zero
  %i25 = BitCount u32 %zero
  %i26 = FindLsb u32 %zero
  %i27 = FindSMsb u32 %zero
  %i28 = FindUMsb u32 %zero
  %i29 = UMulExt u32 %zero, %i28
  %i30 = SMulExt u32 %zero, %i28
  %i31 = Second u32 %i30
  %j0 = IEq bool %zero, %i28
  %j1 = INe bool %zero, %i28
  %j2 = SLt bool %zero, %i28
  %j3 = SLe bool %zero, %i28
  %j4 = SGt bool %zero, %i28
  %j5 = SGe bool %zero, %i28
  %j6 = ULt bool %zero, %i28
  %j7 = ULe bool %zero, %i28
  %j8 = UGt bool %zero, %i28
  %j9 = UGe boolx4 %u, %i0
  %b0 = LAnd bool %j0, %j1
  %b1 = LOr bool %j0, %j1
  %b2 = LNot bool %j0
  %b3 = LEq bool %j0, bool(true)
  %b4 = LNe boolx4 %j9, boolx4(true, false, true, false)
  %b5 = Any bool %j9
  %b6 = All bool %j9
  %k0 = FToS u32x4 %v
  %k1 = FToU u32x4 %v
  %k2 = SToF f32x4 %u
  %k3 = UToF f32x4 %u
  %k4 = FConvert f64 %one
  %k5 = UConvert u64 %zero
  %k6 = SConvert u32 %wide
  %k7 = PackHalf u32 %xy
  %k8 = UnpackHalf f32x2 %zero
  %d0 = DPdx f32x4 %v
  %d1 = DPdy f32x4 %v
  %d2 = DPdxFine f32x4 %v
  %d3 = DPdyFine f32x4 %v
  %d4 = InterpCentroid f32x4 $5[u32(0)]
  %d5 = InterpSample f32x4 $5[u32(1)], %zero
  %d6 = InterpOffset f32 $5[%zero, u32(2)], %xy
  Store $6, %v
  Store $6[u32(1)], %one
  %i0x = Compose u32 %i0.x
  Store $0[%zero], %i0x
  %m0 = ArrayLength u32 $0
  %m1 = Atomic u32 UMax $0[u32(1)], %zero
  %m2 = Atomic u32 CompareExchange $0[u32(1)], %zero, u32(5)
  %t0 = ImageSample f32x4 #0 f32x3(0.25, 0.5, 1)
  %t1 = ImageSampleLod f32x4 #1 %zero, u32(1), %xy, %xy, %xy, u32x2(1, 4294967295)
  %t2 = ImageGather f32x4 #2 u32(0), u32(1), %xy, u32x2(0, 0), u32x2(1, 0), u32x2(0, 1), u32x2(1, 1)
  %t3 = Second u32 %t2
  %t4 = ImageFetch f32x4 #3 %pair, u32(2)
  %t5 = ImageRead u32x4 #4 %pair
  ImageWrite #4 %pair, %t5
  %t6 = ImageAtomic u32 SMin #4 %pair, %zero
  %t7 = ImageQuerySize u32x3 #5 u32(0)
  %t8 = ImageQueryLevels u32 #0
  %t9 = ImageQuerySamples u32 #8
  %t10 = ImageQueryLod f32x2 #0 %xy
  %t11 = SparseResident bool %t3
  %t12 = ImageGather f32x4 #6 f32x3(0, 0, 0), %pair
  %t13 = ImageSample f32 #7 %xy, f32(0.5), f32(1), f32(0)
  Demote
  %g0 = IsHelper bool
  EmitVertex 2
  EndPrimitive 1
  ControlBarrier 264
  MemoryBarrier 1 72
  %g1 = Clock u32x2
  %g2 = GroupAll bool %j0
  %g3 = GroupAny bool %j0
  %g4 = GroupAllEqual bool %zero
  %g5 = GroupBallot u32x4 %j0
  %g6 = GroupFirst f32x4 %v
  %g7 = GroupShuffle f32x4 %v, %zero
  %g8 = GroupBroadcast f32x4 %v, %zero
  %h = Call f32 f0(%one, %pair)
  Branch bloop
bloop: loop bafter continue bnext
  %phi = Phi u32 [u32(0), bentry], [%next, bnext]
  %turn = ULt bool %phi, u32(10)
  Branch bbody
bbody: merge bcases
  Switch %phi, bdefault, 1: bone, 4294967295: bdefault
bone:
  Branch bdefault
bdefault:
  %which = Phi u32 [u32(1), bbody], [%zero, bone]
  Branch bcases
bcases:
  BranchIf %turn, bnext, bafter
bnext:
  %next = IAdd u32 %phi, %which
  Branch bloop
bafter: merge bdone
  BranchIf %b0, bkill, bdone
bkill:
  Kill
bdone: merge bnever
  BranchIf %b1, bback, bnever
bback:
  Return
bnever:
  Unreachable
}
)";

}  // namespace tgsi2spv::ir
